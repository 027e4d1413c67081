// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

/// A header, a dot, a body that begins as Base64 of an object does; then all to the end of its third part.
final class JwtTail extends Tail {
    private static final int HEADER = 2048;

    private final Shape shape;
    private int header;
    private int body = -1;

    JwtTail(Mark mark, long from, Shape shape) {
        super(mark, from);
        this.shape = shape;
    }

    @Override
    boolean step(int c, long at, Hits hits) {
        if (c != '.' && !shape.run().get(c)) {
            return false;
        }
        if (from == CLEAR) {
            hits.mask(at, at + 1);
            return true;
        }
        if (body < 0) {
            body = c == '.' ? 0 : -1;
            return ++header <= HEADER;
        }
        body++;
        if (c == '.' || body == 1 && c != 'e' || body == 2 && c != 'y' && c != 'w') {
            return false;
        }
        if (body >= shape.least()) {
            clear(at + 1, hits);
        }
        return true;
    }
}
