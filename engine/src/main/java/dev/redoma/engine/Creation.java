// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.Idempotency.Key;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.Mount;
import dev.redoma.model.wire.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Makes a sandbox from nothing: its row (with its uid range, key and record) first, then disk and instance, then confirmed. What fails
/// on the way is undone and leaves an ended row that says why.
final class Creation {
    private final Core core;
    private final Admission admission;
    private final LiveSide side;
    private final CacheCopies copies;
    private final StartCommand start;
    private final SetUpPhase setUp;

    Creation(Core core, Admission admission, LiveSide side, CacheCopies copies) {
        this.copies = copies;
        this.core = core;
        this.admission = admission;
        this.side = side;
        this.start = new StartCommand(core);
        this.setUp = new SetUpPhase(core);
    }

    SandboxRow cold(Caller caller, Plan plan, @Nullable Key key) {
        return cold(caller, plan, key, false, core.handover()::begin);
    }

    /// One that nothing is written into at its start: what is changed in it is the work of its commands alone.
    SandboxRow bare(Caller caller, Plan plan) {
        return cold(caller, plan, null, true, (live, hostname) -> core.handover().bare(live));
    }

    private SandboxRow cold(Caller caller, Plan plan, @Nullable Key key, boolean bare, BiConsumer<LiveBox, String> introduction) {
        Admission.Room room = admission.look();
        Box box = core.boxes().box(SandboxId.mint(), caller.tenant());
        return core.boxes().locked(box, () -> {
            try {
                return confirmed(box, plan, core.store().write(tx -> insert(tx, caller, plan, key, room, box.id())), caller, bare, introduction);
            } finally {
                if (box.live() == null) {
                    core.boxes().forget(box.id());
                }
            }
        });
    }

    private SandboxRow insert(Handle tx, Caller caller, Plan plan, @Nullable Key key, Admission.Room room, SandboxId id) {
        mayInsert(tx, caller, plan, room);
        core.holding().mayHold(tx, id, plan.policy(), plan.mounts());
        UidRange range = core.ranges().take(tx, id.value());
        var mounts = new ArrayList<>(plan.mounts());
        mounts.addAll(copies.insert(tx, caller.tenant(), plan.source().ref().name(), plan.caches(), id, core.now(), caller.key()));
        SandboxRow row = row(plan, caller, id, range, State.CREATING, Target.CREATE, null, mounts);
        insertAll(tx, row, plan, key, caller.key());
        return row;
    }

    /// Everything that only the database can decide, in the transaction of the insert.
    void mayInsert(Handle tx, Caller caller, Plan plan, Admission.Room room) {
        mayBeOneMore(tx, caller, plan);
        admission.promise(tx, room, plan.enforced(), LimitRules.disk(plan.limits()));
        plan.source().mustStand(tx);
    }

    void mayBeOneMore(Handle tx, Caller caller, Plan plan) {
        core.quotas().mayCreate(tx, caller.tenant());
        core.quotas().mayShare(tx, caller.tenant(), plan.isolation().kernel());
        if (plan.name() != null) {
            SandboxRows.named(tx, caller.tenant(), plan.name()).filter(r -> r.state() != State.ENDED).ifPresent(taken -> {
                throw Problem.of(Code.NAME_TAKEN, "A sandbox '" + plan.name() + "' exists (" + taken.state().wire() + ").", "Choose another name, or use getOrCreate.")
                        .with("field", "name").raise();
            });
        }
    }

    void insertAll(Handle tx, SandboxRow row, Plan plan, @Nullable Key key, String actor) {
        SandboxRows.insert(tx, row);
        if (key != null) {
            key.claim(tx, row.id(), row.createdAt());
        }
        if (!plan.artifacts().isEmpty()) {
            ReviewRows.declared(tx, row, plan.artifacts());
        }
        core.redactions().insert(tx, row, plan.redact());
        core.records().created(tx, row, actor, plan.redact());
        core.policies().insert(tx, row, plan.stack(), core.records(), actor);
    }

    SandboxRow row(Plan p, Caller caller, SandboxId id, UidRange range, State state, @Nullable Target target, @Nullable InstanceRef ref,
            List<Mount> mounts) {
        Instant now = core.now();
        boolean runs = state == State.RUNNING;
        return new SandboxRow(id, caller.tenant(), p.name(), state, target, p.source().ref(), p.source().layers(), p.labels(), p.env(), p.limits(),
                p.isolation(), p.privileges(), p.policy(), p.reopen(), p.onTimeout(), p.untrusted(), range.base(), ref, now, caller.key(),
                runs ? now : null, runs ? end(now, p) : null, null, null, now, runs ? 1 : 0, runs, null, p.forkedFrom(),
                List.copyOf(mounts), p.workspace());
    }

    private static Instant end(Instant now, Plan p) {
        return now.plus(Duration.ofMillis(LimitRules.lifetimeOf(p.limits())));
    }

    private SandboxRow confirmed(Box box, Plan plan, SandboxRow begun, Caller caller, boolean bare, BiConsumer<LiveBox, String> introduction) {
        Faults.at("create.begun");
        try {
            copies.make(core, begun);
            LiveBox live = core.starter().fresh(begun, plan.source().config(), plan.tier());
            try {
                Faults.at("create.started");
                introduction.accept(live, begun.hostname());
                if (plan.forkedFrom() == null && !bare) {
                    setUp.run(box, live, begun, plan.stack(), caller.key());
                }
                core.uplink().connect(core.handover(), live, begun);
                wanted(box);
                start.begin(box, live, begun, caller.key());
                wanted(box);
                SandboxRow running = running(begun, plan, live, caller);
                side.runs(box, live, running);
                side.watchExit(live);
                return running;
            } catch (RuntimeException | Error failed) {
                core.starter().discard(live);
                throw failed;
            }
        } catch (RuntimeException | Error failed) {
            undo(begun, failed);
            throw failed;
        }
    }

    private static void wanted(Box box) {
        if (box.isUnwanted()) {
            throw Problem.of(Code.SANDBOX_ENDED, "The sandbox was ended while it was made.", "Make a new one.").with("reason", "killed").raise();
        }
    }

    private SandboxRow running(SandboxRow row, Plan plan, LiveBox live, Caller caller) {
        Instant now = core.now();
        return core.write(row, RowChange.settle(State.RUNNING).instance(live.instance().ref()).startedAt(now).activeAt(now).endsAt(end(now, plan)).starts(1),
                caller.key(), "running");
    }

    /// Of a creation that failed or was interrupted: nothing stays but a row that says so.
    void undo(SandboxRow row, Throwable why) {
        core.tiers().of(row).remove(new InstanceRef(row.id().value(), 0, 0));
        core.places().remove(row.id());
        core.execs().gone(row.id(), "create");
        core.pool().deleteDisk(row.id());
        copies.remove(core, row);
        StopReason reason = core.reason("host", null, "It was not made: " + RequestRules.shown(String.valueOf(why.getMessage())));
        core.store().write(tx -> {
            core.ranges().release(tx, row.range());
            VolumeRows.forget(tx, row.id());
            core.uplink().forget(tx, row.id());
            Idempotency.forget(tx, row.id());
            RowChange.settle(State.ENDED).instance(null).noRange().endsAt(null).endedAt(core.now()).reason(reason).apply(tx, row.id());
            core.records().stopped(tx, row, Records.ENGINE, "create.failed", reason);
            return true;
        });
        core.log().add(row.id(), "creation failed: " + why);
    }
}
