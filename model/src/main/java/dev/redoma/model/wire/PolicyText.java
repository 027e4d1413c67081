// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// A policy in a request: one of the names `none`, `packages`, `internet`, or the text of a policy file.
public record PolicyText(String policy) {}
