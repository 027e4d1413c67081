// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.SandboxId;
import dev.redoma.store.Sql;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jdbi.v3.core.Handle;

/// What one way out counted where it happened, whatever became of the records of it. A row stands from the first record of this way until the sandbox has ended; the numbers
/// are in it once all that was counted is on record. Thread-safe.
final class Tally {
    private final SandboxId sandbox;
    private final String way = UUID.randomUUID().toString();
    private final LongAdder connections = new LongAdder();
    private final LongAdder up = new LongAdder();
    private final LongAdder down = new LongAdder();
    private volatile boolean marked;
    private volatile boolean over;

    Tally(SandboxId sandbox) {
        this.sandbox = sandbox;
    }

    /// A connection has ended.
    void ended(long upBytes, long downBytes) {
        connections.increment();
        up.add(upBytes);
        down.add(downBytes);
    }

    /// In the transaction of a record of this way.
    void mark(Handle tx, long seq) {
        if (!marked && !over) {
            Sql.update(tx, "INSERT OR IGNORE INTO egress_way (sandbox, way, since) VALUES (?, ?, ?)", sandbox.value(), way, seq);
        }
    }

    /// A transaction with a record of it is durable.
    void marked() {
        marked = true;
    }

    boolean isMarked() {
        return marked;
    }

    /// The sandbox has ended: no row comes back.
    void over() {
        over = true;
    }

    boolean isOver() {
        return over;
    }

    /// With the last records of it. `unended`: connections whose end nobody has seen.
    void settle(Handle tx, long refused, int unended) {
        Sql.update(tx, "UPDATE egress_way SET settled = 1, connections = ?, up = ?, down = ?, refused = ?, unended = ? WHERE sandbox = ? AND way = ?",
                connections.sum(), up.sum(), down.sum(), refused, unended, sandbox.value(), way);
    }
}
