// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A kind of secret that is known by its look: it begins with these bytes, and `match` tells how far it reaches.
record Shape(String kind, byte[] prefix, Match match) {

    /// The secret that begins at `from`, or null if it is none.
    interface Match {
        @Nullable Finding at(String kind, byte[] text, int from, int end);
    }

    /// The prefix and at least so many bytes of a kind that tokens are made of, one of them a digit; not in the middle of a word.
    static Shape token(String kind, String prefix, int least, String alphabet) {
        boolean[] allowed = set(alphabet);
        byte[] head = bytes(prefix);
        return new Shape(kind, head, (k, text, from, end) -> {
            int at = from + head.length;
            boolean digit = false;
            while (at < end && allowed[text[at] & 0xFF]) {
                digit |= text[at] >= '0' && text[at] <= '9';
                at++;
            }
            return at - from - head.length >= least && digit && !inWord(text, from) ? new Finding(k, from, at) : null;
        });
    }

    static boolean inWord(byte[] text, int from) {
        return from > 0 && word(text[from - 1]) && word(text[from]);
    }

    private static boolean word(byte b) {
        return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z';
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /// `A`: upper case, `a`: lower case, `0`: digits, `h`: lower-case hexadecimal; others stand for themselves.
    static boolean[] set(String alphabet) {
        var set = new boolean[256];
        for (char c : alphabet.toCharArray()) {
            switch (c) {
                case 'A' -> range(set, 'A', 'Z');
                case 'a' -> range(set, 'a', 'z');
                case '0' -> range(set, '0', '9');
                case 'h' -> {
                    range(set, 'a', 'f');
                    range(set, '0', '9');
                }
                default -> set[c] = true;
            }
        }
        return set;
    }

    private static void range(boolean[] set, char from, char to) {
        for (char c = from; c <= to; c++) {
            set[c] = true;
        }
    }
}
