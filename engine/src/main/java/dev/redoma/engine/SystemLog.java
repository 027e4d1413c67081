// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.model.SandboxId;
import dev.redoma.store.Store;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;

/// The engine's own messages about each sandbox, for operators. Lines wait in memory for at most a second and are written together;
/// per sandbox the newest 500 are kept. Thread-safe.
final class SystemLog {
    private static final int KEPT = 500;
    private static final int WAITING = 10_000;
    private static final int WIDTH = 2000;

    private final Store store;
    private final Clock clock;
    private final Masking masking;
    private final ConcurrentLinkedQueue<Line> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    SystemLog(Store store, Clock clock, Masking masking) {
        this.masking = masking;
        this.store = store;
        this.clock = clock;
    }

    private record Line(SandboxId sandbox, long at, String text) {}

    void add(SandboxId sandbox, String text) {
        if (size.incrementAndGet() > WAITING) {
            size.decrementAndGet();
            return;
        }
        waiting.add(new Line(sandbox, Columns.micros(clock.instant()), text.length() > WIDTH ? text.substring(0, WIDTH) : text));
    }

    void flush() {
        var lines = new ArrayList<Line>();
        for (Line line = waiting.poll(); line != null; line = waiting.poll()) {
            size.decrementAndGet();
            lines.add(line);
        }
        if (!lines.isEmpty()) {
            lines.replaceAll(l -> new Line(l.sandbox, l.at, masking.words(l.sandbox).mask(l.text, new Hits())));
            store.write(tx -> write(tx, lines));
        }
    }

    private static int write(Handle tx, List<Line> lines) {
        var batch = tx.prepareBatch("INSERT INTO system_log (sandbox, at, line) VALUES (:sandbox, :at, :line)");
        lines.forEach(l -> batch.bind("sandbox", l.sandbox().value()).bind("at", l.at()).bind("line", l.text()).add());
        batch.execute();
        lines.stream().map(Line::sandbox).distinct().forEach(s -> tx.createUpdate("""
                DELETE FROM system_log WHERE sandbox = :s AND rowid NOT IN
                    (SELECT rowid FROM system_log WHERE sandbox = :s ORDER BY at DESC, rowid DESC LIMIT :kept)""")
                .bind("s", s.value()).bind("kept", KEPT).execute());
        return lines.size();
    }

    List<String> read(SandboxId sandbox) {
        flush();
        return store.read(tx -> tx.createQuery("SELECT at, line FROM system_log WHERE sandbox = :s ORDER BY at, rowid")
                .bind("s", sandbox.value())
                .map((rs, ctx) -> Columns.instant(rs.getLong("at")) + " " + rs.getString("line")).list());
    }
}
