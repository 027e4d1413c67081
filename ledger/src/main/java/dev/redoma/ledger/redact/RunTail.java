// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

/// A token: so many characters of its alphabet, and all that follow.
final class RunTail extends Tail {
    private final Shape shape;
    private int length;

    RunTail(Mark mark, long from, Shape shape, int before) {
        super(mark, from);
        this.shape = shape;
        this.length = before;
    }

    @Override
    boolean step(int c, long at, Hits hits) {
        if (!shape.run().get(c)) {
            return false;
        }
        if (from == CLEAR) {
            hits.mask(at, at + 1);
        } else if (++length >= shape.least()) {
            clear(at + 1, hits);
        }
        return true;
    }
}
