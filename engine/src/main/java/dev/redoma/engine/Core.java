// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.StopReason;
import dev.redoma.pool.Pool;
import dev.redoma.store.Store;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What nearly every part of the lifecycle works with. Made once, by the engine's assembly; all of it thread-safe.
record Core(
        EngineConfig config,
        Store store,
        Records records,
        Pool pool,
        Clock clock,
        TierChoice tiers,
        Boxes boxes,
        Places places,
        Starter starter,
        Handover handover,
        Background background,
        SystemLog log,
        UidRanges ranges,
        Quotas quotas,
        Holding holding,
        Timers timers,
        LayerHolds holds,
        ExecLifecycle execs,
        PolicyRules policies,
        Uplink uplink,
        ApprovalGate approvals,
        Redactions redactions) {

    /// As finely as the database keeps it, so that every answer says the same.
    Instant now() {
        return clock.instant().truncatedTo(java.time.temporal.ChronoUnit.MICROS);
    }

    SandboxRow row(Box box) {
        return store.read(tx -> SandboxRows.get(tx, box.id()));
    }

    StopReason reason(String kind, @Nullable String limit, @Nullable String message) {
        return new StopReason(kind, limit, message, now());
    }

    /// One change of a row with its record.
    SandboxRow write(SandboxRow row, RowChange change, String actor, String action) {
        return store.write(tx -> {
            change.apply(tx, row.id());
            records.sandbox(tx, row, actor, action);
            return SandboxRows.get(tx, row.id());
        });
    }

    /// The same where it stops or ends: the record carries the reason.
    SandboxRow write(SandboxRow row, RowChange change, String actor, String action, StopReason reason) {
        return store.write(tx -> {
            change.reason(reason).apply(tx, row.id());
            records.stopped(tx, row, actor, action, reason);
            return SandboxRows.get(tx, row.id());
        });
    }
}
