// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.pool.Pool;
import java.util.Locale;
import java.util.function.Consumer;

/// Tells the log of a build how far a pull is: what is new at once, how far it is every few seconds. Thread-safe.
final class PullWords implements Consumer<Pool.Progress> {
    private static final long EVERY = 2_000_000_000L;

    private final BuildLog log;
    private final String indent;
    private String told = "";
    private long toldAt;

    PullWords(BuildLog log, String indent) {
        this.log = log;
        this.indent = indent;
    }

    @Override
    public synchronized void accept(Pool.Progress progress) {
        long now = System.nanoTime();
        boolean whole = progress.done() == progress.total();
        if (!progress.what().equals(told) || !whole && now - toldAt > EVERY) {
            told = progress.what();
            toldAt = now;
            log.say(indent + progress.what() + (progress.total() == 0 ? "" : ": " + size(progress.done()) + " of " + size(progress.total())));
        }
    }

    private static String size(long bytes) {
        return bytes < 1 << 20 ? bytes / 1024 + " KiB" : String.format(Locale.ROOT, "%.1f MiB", bytes / 1048576.0);
    }
}
