// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

/// The rest of the title of a private key, headers, then its lines: all as long as the first, and one that is shorter is the last, so that what
/// follows a key is not taken for more of it. In JSON they may be one line with `\n` in it, in YAML they may be indented.
final class PemTail extends Tail {
    private static final int TITLE = 64;
    private static final int HEADERS = 512;
    private static final int MOST = 32 << 10;

    private final Shape shape;
    private final StringBuilder title = new StringBuilder();
    private boolean lines;
    private boolean escape;
    private boolean header;
    private int headers;
    /// Of the key itself, of this line and of the first one.
    private int length;
    private int line;
    private int first;
    private boolean last;

    PemTail(Mark mark, long from, Shape shape) {
        super(mark, from);
        this.shape = shape;
    }

    @Override
    boolean step(int c, long at, Hits hits) {
        if (!lines) {
            return title(c, at);
        }
        if (!more(c)) {
            return false;
        }
        if (from == CLEAR) {
            hits.mask(at, at + 1);
        } else if (length >= shape.least()) {
            clear(at + 1, hits);
        }
        return true;
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

    private boolean more(int c) {
        boolean escaped = escape;
        escape = c == '\\' && !escaped;
        if (lineBreak(c) || escaped && (c == 'n' || c == 'r')) {
            ends();
            return true;
        }
        if (escape || line == 0 && (c == ' ' || c == '\t')) {
            return true;
        }
        if (header) {
            return ++headers <= HEADERS;
        }
        return shape.run().get(c) ? !last && (first == 0 || line < first) && body() : begins(c);
    }

    private boolean body() {
        line++;
        return ++length <= MOST;
    }

    /// `Proc-Type: 4,ENCRYPTED`, before the key itself.
    private boolean begins(int c) {
        header = first == 0 && line > 0 && (c == '-' || c == ':');
        length = header ? 0 : length;
        return header;
    }

    private void ends() {
        if (!header && line > 0) {
            last = first > 0 && line < first;
            first = first == 0 ? line : first;
        }
        header = false;
        line = 0;
    }
}
