// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.Idempotency.Key;
import dev.redoma.engine.Idempotency.Outcome;
import dev.redoma.model.Caller;
import dev.redoma.model.wire.ForkSandbox;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A fork is a hidden snapshot and a sandbox made from it.
final class Forks {
    private final Core core;
    private final Planner planner;
    private final Snapshots snapshots;
    private final Creation creation;

    Forks(Core core, Planner planner, Snapshots snapshots, Creation creation) {
        this.core = core;
        this.planner = planner;
        this.snapshots = snapshots;
        this.creation = creation;
    }

    Outcome fork(Caller caller, Box from, SandboxRow seen, ForkSandbox request, @Nullable Key key) {
        // Refuses what cannot be before anything is saved.
        var plan = planner.fork(caller, seen, new Source(seen.template(), seen.layers(), TemplateConfig.NONE), request);
        var ticket = core.approvals().fork(caller, seen, Duration.ofMillis(LimitRules.lifetimeOf(plan.limits())), Duration.ofMillis(LimitRules.lifetimeOf(seen.limits())));
        if (ticket.approval().isPresent()) {
            core.store().write(tx -> {
                ticket.redeem(tx, null);
                return true;
            });
        }
        Snapshots.Taken taken = core.boxes().locked(from, () -> snapshots.take(from, caller.key(), SnapshotOrder.FORK));
        try {
            SnapshotRow saved = snapshots.finish(taken, caller.key());
            return new Outcome(creation.cold(caller, planner.fork(caller, seen, Source.of(saved), request), key), false);
        } finally {
            snapshots.unpin(taken.row());
            core.background().run("looking for unused snapshots", snapshots::collect);
        }
    }
}
