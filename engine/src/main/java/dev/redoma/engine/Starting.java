// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Bytes;
import dev.redoma.model.wire.StopReason;
import java.time.Duration;
import java.time.Instant;

/// Starts stopped sandboxes on their disk and resets them to their template. Called under the box's lock.
final class Starting {
    /// A start itself writes (the overlay's work directory, the host's name): on a disk that is full it could not.
    private static final long HEAD_ROOM = 4 << 20;

    private final Core core;
    private final Admission admission;
    private final LiveSide side;
    private final StartCommand start;

    Starting(Core core, Admission admission, LiveSide side) {
        this.core = core;
        this.admission = admission;
        this.side = side;
        this.start = new StartCommand(core);
    }

    SandboxRow start(Box box, String actor) {
        SandboxRow row = core.row(box);
        if (row.state() == State.RUNNING) {
            return row;
        }
        if (row.state() != State.STOPPED && row.state() != State.LOST) {
            throw Access.wrongState(row, "start");
        }
        Admission.Room room = admission.look();
        SandboxRow begun = core.store().write(tx -> {
            core.quotas().mayRun(tx, row.tenant());
            core.quotas().mayShare(tx, row.tenant(), row.isolation().kernel());
            admission.promise(tx, room, LimitRules.enforced(row.limits()), 0);
            core.holding().mayHold(tx, row.id(), row.policy(), row.mounts());
            RowChange.begin(Target.START).apply(tx, row.id());
            core.records().sandbox(tx, row, actor, "start");
            return SandboxRows.get(tx, row.id());
        });
        Faults.at("start.begun");
        try {
            return bringUp(box, begun, actor, "started");
        } catch (RuntimeException | Error failed) {
            undone(row, failed);
            throw failed;
        }
    }

    /// Empties the disk; runs again if it ran before.
    SandboxRow reset(Box box, String actor) {
        SandboxRow row = core.row(box);
        if (!row.state().holdsInstance() && row.state() != State.STOPPED) {
            throw Access.wrongState(row, "reset");
        }
        SandboxRow begun = core.write(row, RowChange.begin(Target.RESET), actor, "reset");
        Faults.at("reset.begun");
        return finishReset(box, begun, actor);
    }

    SandboxRow finishReset(Box box, SandboxRow row, String actor) {
        side.end(box, row, "reset");
        Faults.at("reset.ended");
        core.store().write(tx -> {
            ReviewRows.reset(tx, row.id());
            return true;
        });
        core.pool().resetDisk(row.id(), new Bytes(LimitRules.disk(row.limits())), row.range().base());
        StopReason reason = core.reason("reset", null, null);
        if (row.state() == State.STOPPED) {
            return core.write(row, RowChange.settle(State.STOPPED), actor, "reset.done", reason);
        }
        try {
            return bringUp(box, row, actor, "reset.done");
        } catch (RuntimeException | Error failed) {
            undone(row, failed);
            throw failed;
        }
    }

    private SandboxRow bringUp(Box box, SandboxRow row, String actor, String action) {
        var disk = new Bytes(LimitRules.disk(row.limits()));
        if (core.pool().disk(row.id()).isPresent()) {
            core.pool().quota(row.id(), new Bytes(disk.value() + HEAD_ROOM)); // taken back before anything of the sandbox runs
        }
        TemplateConfig config = core.store().read(tx -> Source.configOf(tx, row));
        LiveBox live = core.starter().again(row, config, core.tiers().of(row));
        try {
            core.handover().resume(live, row.hostname());
            core.uplink().connect(core.handover(), live, row);
            core.pool().quota(row.id(), disk);
            start.begin(box, live, row, actor);
            Instant now = core.now();
            RowChange running = RowChange.settle(State.RUNNING).instance(live.instance().ref()).startedAt(now).activeAt(now)
                    .endsAt(now.plus(Duration.ofMillis(LimitRules.lifetimeOf(row.limits())))).remaining(null).starts(row.starts() + 1).reason(null);
            SandboxRow confirmed = core.write(row, running, actor, action);
            side.runs(box, live, confirmed);
            side.watchExit(live);
            return confirmed;
        } catch (RuntimeException | Error failed) {
            core.starter().end(live);
            core.execs().gone(row.id(), "start");
            throw failed;
        }
    }

    /// Nothing of it runs; the disk is as it was.
    private void undone(SandboxRow row, Throwable why) {
        StopReason reason = core.reason("host", null, "It did not start: " + RequestRules.shown(String.valueOf(why.getMessage())));
        core.write(row, RowChange.settle(State.STOPPED).instance(null).endsAt(null).remaining(null), Records.ENGINE, "start.failed", reason);
        core.log().add(row.id(), "start failed: " + why);
    }
}
