// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// A secret that the scanner found: where and of which kind, never its value. Line 0: in a name, or in what is no text.
public record FoundCredential(String path, String kind, int line) {}
