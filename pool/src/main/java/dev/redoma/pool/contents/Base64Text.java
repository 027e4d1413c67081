// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.util.Arrays;
import java.util.Base64;

/// Bytes within base64 text: how they look there at each of the three alignments, and the way back.
final class Base64Text {
    private static final int LONGEST = 64 * 1024;
    private static final boolean[] ALPHABET = Shape.set("Aa0+/-_");

    private Base64Text() {}

    /// The characters that are the same whatever stands before and behind, for an alignment of 0, 1 or 2 bytes; empty if too few for
    /// telling it from chance.
    static byte[] stable(byte[] secret, int alignment, boolean url) {
        var shifted = new byte[alignment + secret.length];
        System.arraycopy(secret, 0, shifted, alignment, secret.length);
        byte[] text = (url ? Base64.getUrlEncoder() : Base64.getEncoder()).withoutPadding().encode(shifted);
        int from = (alignment * 8 + 5) / 6;
        int to = (alignment + secret.length) * 8 / 6;
        return to > from ? Arrays.copyOfRange(text, from, to) : new byte[0];
    }

    /// How many characters of the first quantum precede the stable ones.
    static int before(int alignment) {
        return (alignment * 8 + 5) / 6;
    }

    /// The unbroken run of base64 around `at`.
    static int runStart(byte[] text, int at) {
        int from = at;
        while (from > 0 && at - from < LONGEST && ALPHABET[text[from - 1] & 0xFF]) {
            from--;
        }
        return from;
    }

    static int runEnd(byte[] text, int at, int end) {
        int to = at;
        while (to < end && to - at < LONGEST && ALPHABET[text[to] & 0xFF]) {
            to++;
        }
        return to;
    }

    /// What it says from the beginning of a quantum on; characters of what precedes the run count as zero.
    static byte[] decoded(byte[] text, int quantum, int to) {
        int length = to - quantum;
        if (length % 4 == 1) {
            length--;
        }
        var run = new byte[length];
        for (int i = 0; i < length; i++) {
            byte b = text[quantum + i];
            run[i] = b == '-' ? (byte) '+' : b == '_' ? (byte) '/' : ALPHABET[b & 0xFF] ? b : (byte) 'A';
        }
        return Base64.getDecoder().decode(run);
    }
}
