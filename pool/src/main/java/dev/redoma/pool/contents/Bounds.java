// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.time.Duration;

/// How much of a tree is looked at: beyond it the look says that it is not whole.
public record Bounds(int entries, int depth, int names, long bytes, Duration time) {
    public static final Bounds STANDARD = new Bounds(2_000_000, 200, 500_000, 16L << 30, Duration.ofMinutes(2));
}
