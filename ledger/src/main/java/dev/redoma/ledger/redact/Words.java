// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import org.jspecify.annotations.Nullable;

/// A first look over a text: whatever is looked for begins with so many bytes of one of two alphabets, that of tokens and that of titles of
/// private keys, and in most texts a space comes sooner. Immutable.
final class Words {
    /// The first bytes of every shape are at least so many, with their least run.
    private static final int SHAPES = 16;
    /// Below it too many words are as long.
    private static final int LEAST = 12;
    private static final byte TOKEN = 1;
    private static final byte TITLE = 2;

    private final byte[] alphabets;
    private final int least;

    private Words(byte[] alphabets, int least) {
        this.alphabets = alphabets;
        this.least = least;
    }

    /// `null` where something that is looked for has a space in it, or is short.
    static @Nullable Words of(Iterable<byte[]> secrets) {
        var alphabets = new byte[256];
        add(alphabets, "A-Za-z0-9_.\n\r-", TOKEN);
        add(alphabets, "A-Z0-9 \n\r-", TITLE);
        int least = SHAPES;
        for (byte[] secret : secrets) {
            least = Math.min(least, secret.length);
            for (int i = 0; i < Math.min(secret.length, SHAPES); i++) {
                alphabets[secret[i] & 0xff] |= TOKEN;
            }
        }
        return least < LEAST || (alphabets[' '] & TOKEN) != 0 ? null : new Words(alphabets, least);
    }

    private static void add(byte[] alphabets, String set, byte alphabet) {
        Shape.set(set).stream().forEach(c -> alphabets[c] |= alphabet);
    }

    /// The first position from `from` on at which so many such bytes begin, or at which too few bytes are left to say so.
    int next(byte[] bytes, int from, int to) {
        int at = from;
        while (at + least <= to) {
            int last = at + least - 1;
            int alphabet = TOKEN | TITLE;
            while (last >= at && (alphabet &= alphabets[bytes[last] & 0xff]) != 0) {
                last--;
            }
            if (last < at) {
                return at;
            }
            at = last + 1;
        }
        return at;
    }

    int least() {
        return least;
    }
}
