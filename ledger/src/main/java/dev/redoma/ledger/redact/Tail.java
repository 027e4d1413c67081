// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

/// What follows a head, byte by byte, until it is clear whether it is the thing. Not thread-safe.
abstract sealed class Tail permits Tail.Rest, RunTail, JwtTail, PemTail {
    final Mark mark;
    /// Where begins what must not be seen before it is clear; `CLEAR` when it is.
    long from;
    static final long CLEAR = Long.MAX_VALUE;

    Tail(Mark mark, long from) {
        this.mark = mark;
        this.from = from;
    }

    /// The byte `c` at `at` follows; false: it is over.
    abstract boolean step(int c, long at, Hits hits);

    static boolean lineBreak(int c) {
        return c == '\n' || c == '\r';
    }

    /// It is the thing, up to before `to`; what follows is seen as it comes.
    void clear(long to, Hits hits) {
        hits.found(mark, from);
        hits.mask(from, to);
        from = CLEAR;
    }

    /// The rest of a registered secret.
    static final class Rest extends Tail {
        private final byte[] rest;
        private int matched;

        Rest(Mark mark, long from, byte[] rest) {
            super(mark, from);
            this.rest = rest;
        }

        @Override
        boolean step(int c, long at, Hits hits) {
            if (lineBreak(c)) {
                return true;
            }
            if ((rest[matched] & 0xff) != c) {
                return false;
            }
            if (++matched == rest.length) {
                clear(at + 1, hits);
                return false;
            }
            return true;
        }
    }

    static Tail of(Patterns.Ending ending, Shape shape, long end) {
        int before = ending.length() - shape.prefix().length();
        return switch (shape.grammar()) {
            case RUN -> new RunTail(ending.mark(), end - before, shape, before);
            case JWT -> new JwtTail(ending.mark(), end, shape);
            case PEM -> new PemTail(ending.mark(), end, shape);
        };
    }
}
