// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// A package that a disk has beside or against its layers. `manager`: `dpkg pip npm`; `change`: `added removed changed`.
public record PackageChange(String manager, String name, String version, String change) {}
