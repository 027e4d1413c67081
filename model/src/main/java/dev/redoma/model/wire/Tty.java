// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// A terminal: columns and rows 1..1000, `TERM` (default `xterm-256color`).
public record Tty(int cols, int rows, @Nullable String term) {}
