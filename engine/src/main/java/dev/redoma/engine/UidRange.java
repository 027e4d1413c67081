// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

/// 65,536 host uids (and gids) that belong to one sandbox: inside uid n is `base + n`.
public record UidRange(long base) {
    public static final long WIDTH = 65_536;
}
