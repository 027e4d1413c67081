// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.StopReason;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Pauses and resumes by the freezer. Time paused does not count against the lifetime. Called under the box's lock.
final class Pausing {
    /// What one that its use woke has at least, where the operator allows as much.
    static final Duration WOKEN = Duration.ofMinutes(5);

    private final Core core;

    Pausing(Core core) {
        this.core = core;
    }

    /// `reason` null: the caller's wish.
    SandboxRow pause(Box box, String actor, @Nullable StopReason reason) {
        SandboxRow row = core.row(box);
        if (row.state() == State.PAUSED) {
            return row;
        }
        if (row.state() != State.RUNNING) {
            throw Access.wrongState(row, "pause");
        }
        core.write(row, RowChange.begin(Target.PAUSE), actor, "pause");
        Faults.at("pause.begun");
        try {
            return finishPause(box, row, actor, reason);
        } catch (RuntimeException | Error failed) {
            LiveBox live = live(box, row);
            live.instance().thaw();
            live.stay();
            core.write(row, RowChange.settle(State.RUNNING), Records.ENGINE, "pause.failed");
            core.timers().watch(box, row.endsAt());
            throw failed;
        }
    }

    SandboxRow finishPause(Box box, SandboxRow row, String actor, @Nullable StopReason reason) {
        core.timers().forget(box);
        live(box, row).instance().freeze();
        Faults.at("pause.frozen");
        Instant now = core.now();
        Duration left = row.endsAt() == null ? Duration.ZERO : Duration.between(now, row.endsAt());
        RowChange paused = RowChange.settle(State.PAUSED).endsAt(null).remaining(left.isNegative() ? Duration.ZERO : left);
        try {
            return reason == null ? core.write(row, paused.reason(null), actor, "paused") : core.write(row, paused, actor, "paused", reason);
        } finally {
            changed(box);
        }
    }

    private static void changed(Box box) {
        LiveBox live = box.live();
        if (live != null) {
            live.stateChanged();
        }
    }

    SandboxRow resume(Box box, String actor) {
        return resume(box, actor, Duration.ZERO);
    }

    private SandboxRow resume(Box box, String actor, Duration atLeast) {
        SandboxRow row = core.row(box);
        if (row.state() == State.RUNNING) {
            return row;
        }
        if (row.state() != State.PAUSED) {
            throw Access.wrongState(row, "resume");
        }
        SandboxRow begun = core.write(row, RowChange.begin(Target.RESUME).endsAt(end(row, atLeast)).remaining(null), actor, "resume");
        Faults.at("resume.begun");
        try {
            return finishResume(box, begun, actor);
        } catch (RuntimeException | Error failed) {
            SandboxRow still = core.write(row, RowChange.settle(State.PAUSED), Records.ENGINE, "resume.failed");
            changed(box);
            core.timers().watch(box, still.endsAt());
            throw failed;
        }
    }

    /// By use, of one that `sleep`s; what has become of it meanwhile is for its user to see. Whoever uses it next had no say in how long it lives, so it has
    /// some minutes at least.
    SandboxRow wake(Box box, String actor) {
        SandboxRow row = core.row(box);
        return row.state() == State.PAUSED && row.wakes() && !row.quarantined() ? resume(box, actor, WOKEN) : row;
    }

    SandboxRow finishResume(Box box, SandboxRow row, String actor) {
        LiveBox live = live(box, row);
        live.instance().thaw();
        core.handover().resume(live, row.hostname());
        core.uplink().connect(core.handover(), live, row);
        live.stay();
        SandboxRow running = core.write(row, RowChange.settle(State.RUNNING).reason(null).activeAt(core.now()), actor, "resumed");
        core.timers().watch(box, running.endsAt());
        return running;
    }

    /// What was left when it was paused; a whole lifetime if that was used up. The end of a failed resume stays.
    private Instant end(SandboxRow row, Duration atLeast) {
        if (row.endsAt() != null) {
            return row.endsAt();
        }
        Duration remaining = row.remaining();
        Duration left = remaining == null || remaining.isZero() ? Duration.ofMillis(LimitRules.lifetimeOf(row.limits())) : remaining;
        Duration least = atLeast.compareTo(most()) > 0 ? most() : atLeast;
        return core.now().plus(left.compareTo(least) < 0 ? least : left);
    }

    private Duration most() {
        return Duration.ofMillis(LimitRules.lifetimeOf(core.config().bounds().most()));
    }

    /// Freezes and keeps everything; no timer ends it.
    SandboxRow quarantine(Box box, String actor, @Nullable String why) {
        SandboxRow row = core.row(box);
        StopReason reason = core.reason("quarantine", null, null);
        core.uplink().cut(row.id());
        return switch (row.state()) {
            case RUNNING -> {
                core.store().write(tx -> { // a word of its own: what follows are the records of a pause
                    core.records().quarantine(tx, row, actor, reason, why);
                    return true;
                });
                yield pause(box, actor, reason);
            }
            case PAUSED, STOPPED, LOST -> {
                core.timers().forget(box);
                RowChange held = RowChange.settle(row.state()).endsAt(null);
                yield core.store().write(tx -> {
                    held.reason(reason).apply(tx, row.id());
                    core.records().quarantine(tx, row, actor, reason, why);
                    return SandboxRows.get(tx, row.id());
                });
            }
            case CREATING, ARCHIVED, ENDED -> throw Access.wrongState(row, "put into quarantine");
        };
    }

    static LiveBox live(Box box, SandboxRow row) {
        LiveBox live = box.live();
        if (live == null) {
            throw Access.wrongState(row, "reach the instance");
        }
        return live;
    }
}
