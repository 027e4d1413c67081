// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// How much of what was imported a template cannot hold: device nodes, file capabilities (whole or in part), other attributes.
public record LeftOut(int devices, int capabilities, int attributes) {}
