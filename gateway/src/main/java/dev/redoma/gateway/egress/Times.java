// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import org.xbill.DNS.Type;

/// How often something happened. A program that wants to know where a name leads asks for its addresses of either family and perhaps for more: those are sides of one thing, which has
/// happened as often as the side that was seen most. Guarded by whoever has it.
final class Times {
    static final int ONE = 0;
    private static final int SIX = 1;
    private static final int OTHER = 2;

    private final long[] sides = new long[3];

    /// The side of a question.
    static int kind(int type) {
        return type == Type.A ? ONE : type == Type.AAAA ? SIX : OTHER;
    }

    /// True: it happened once more, and is not another side of what was counted.
    boolean more(int side) {
        long before = most();
        sides[side]++;
        return most() > before;
    }

    long most() {
        return Math.max(sides[ONE], Math.max(sides[SIX], sides[OTHER]));
    }
}
