// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

/// The rest of the title of a private key, then its lines; in JSON they may be one line with `\n` in it, in YAML they may be indented.
final class PemTail extends Tail {
    private static final int TITLE = 64;

    private final Shape shape;
    private final StringBuilder title = new StringBuilder();
    private boolean lines;
    private boolean lineStart;
    private int length;

    PemTail(Mark mark, long from, Shape shape) {
        super(mark, from);
        this.shape = shape;
    }

    @Override
    boolean step(int c, long at, Hits hits) {
        return lines ? line(c, at, hits) : title(c, at);
    }

    private boolean title(int c, long at) {
        title.append((char) c);
        if (title.length() >= 5 && title.lastIndexOf("-----") == title.length() - 5) {
            lines = true;
            from = at + 1;
            return title.indexOf("PRIVATE KEY") >= 0;
        }
        return title.length() <= TITLE && (c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == ' ' || c == '-');
    }

    private boolean line(int c, long at, Hits hits) {
        boolean gap = lineBreak(c) || lineStart && (c == ' ' || c == '\t');
        if (!gap && (!shape.run().get(c) || length == 0 && !lineStart && c != '\\')) {
            return false;
        }
        lineStart = gap;
        if (from == CLEAR) {
            hits.mask(at, at + 1);
        } else if (!gap && ++length >= shape.least()) {
            clear(at + 1, hits);
        }
        return true;
    }
}
