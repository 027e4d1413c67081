// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.util.Locale;

/// A bar on stderr for what takes longer than a second; nothing where stderr is no terminal, unless plain lines were asked for. Not thread-safe.
final class Progress implements AutoCloseable {
    private static final long SECOND = 1_000_000_000L;
    private static final int WIDTH = 28;

    private enum Style { BAR, LINES, SILENT }

    private final Io io;
    private final Style style;
    private final long begun = System.nanoTime();
    private String what;
    private long drawn;
    private boolean visible;

    private Progress(Io io, String what, Style style) {
        this.io = io;
        this.what = what;
        this.style = style;
    }

    static Progress onTerminal(Io io, String what) {
        return new Progress(io, what, Io.terminal(2) ? Style.BAR : Style.SILENT);
    }

    /// A line every ten seconds where there is no terminal.
    static Progress always(Io io, String what) {
        return new Progress(io, what, Io.terminal(2) ? Style.BAR : Style.LINES);
    }

    void what(String next) {
        if (!next.equals(what)) {
            what = next;
            drawn = 0;
        }
    }

    /// Bytes done of a total (-1: not known).
    void at(long done, long total) {
        draw(done, total, Text.size(done) + (total > 0 ? " of " + Text.size(total) : ""));
    }

    /// Steps done of a total.
    void step(long done, long total) {
        draw(done, total, done + " of " + total);
    }

    private void draw(long done, long total, String amount) {
        long now = System.nanoTime();
        boolean last = total > 0 && done >= total;
        if (style == Style.SILENT || now - begun < SECOND || drawn != 0 && !last && now - drawn < (style == Style.BAR ? SECOND / 10 : 10 * SECOND)) {
            return;
        }
        drawn = now;
        if (style == Style.LINES) {
            io.err().println(what + ": " + amount + percent(done, total));
            return;
        }
        visible = true;
        io.err().print("\r\u001b[K" + what + " " + bar(done, total) + amount + percent(done, total));
        io.err().flush();
    }

    private static String bar(long done, long total) {
        if (total <= 0) {
            return "";
        }
        int full = (int) Math.clamp(WIDTH * (double) done / total, 0, WIDTH);
        return "[" + "#".repeat(full) + "-".repeat(WIDTH - full) + "] ";
    }

    private static String percent(long done, long total) {
        return total <= 0 ? "" : String.format(Locale.ROOT, " (%d %%)", Math.clamp(100 * done / total, 0, 100));
    }

    @Override
    public void close() {
        if (visible) {
            io.err().print("\r\u001b[K");
            io.err().flush();
        }
    }
}
