// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.StopReason;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a server does about what an earlier one left: takes living instances up again, and finishes or undoes every effect that was
/// begun and not confirmed. Each step may be repeated from its beginning.
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final Core core;
    private final LiveSide side;
    private final Creation creation;
    private final Ending ending;
    private final Pausing pausing;
    private final Starting starting;
    private final Snapshots snapshots;

    Recovery(Core core, LiveSide side, Creation creation, Ending ending, Pausing pausing, Starting starting, Snapshots snapshots) {
        this.core = core;
        this.side = side;
        this.creation = creation;
        this.ending = ending;
        this.pausing = pausing;
        this.starting = starting;
        this.snapshots = snapshots;
    }

    /// Before the first call: every sandbox at rest is what its row says. What takes longer goes on in the background, each under its
    /// box's lock, so that calls wait for it.
    void run() {
        List<SandboxRow> rows = core.store().read(SandboxRows::notEnded);
        var looks = rows.stream().map(row -> core.background().beside(() -> one(row))).toList();
        looks.forEach(Background::joined);
        List<SnapshotRow> halfDone = core.store().read(SnapshotRows::all).stream().filter(s -> s.target() != null).toList();
        core.background().run("finishing snapshots", () -> {
            halfDone.forEach(snapshots::remove);
            snapshots.collect();
        });
    }

    private boolean one(SandboxRow row) {
        Box box = core.boxes().box(row.id(), row.tenant());
        try {
            return core.boxes().locked(box, () -> {
                if (row.state().holdsInstance() || row.target() != null) {
                    find(row).ifPresent(instance -> takeUp(box, row, instance));
                }
                settle(box, row);
                return true;
            });
        } catch (RuntimeException failed) {
            LOG.warn("{} could not be taken up; it is tried again", row.id(), failed);
            core.log().add(row.id(), "recovery failed: " + failed.getMessage());
            return false;
        }
    }

    private Optional<Instance> find(SandboxRow row) {
        return row.instance() == null ? Optional.empty() : core.tiers().of(row).find(row.instance());
    }

    private void takeUp(Box box, SandboxRow row, Instance instance) {
        TemplateConfig config = core.store().read(tx -> Source.configOf(tx, row));
        LiveBox live = core.starter().found(row, config, instance);
        box.live(live);
        side.watchExit(live);
        reconnect(live, row);
    }

    /// Fails closed: without it the sandbox goes on and nothing leaves it.
    private void reconnect(LiveBox live, SandboxRow row) {
        if (row.quarantined()) {
            return;
        }
        try {
            core.uplink().reconnect(live, row);
        } catch (RuntimeException failed) {
            LOG.warn("nothing leaves {} until it is started again", row.id(), failed);
            core.log().add(row.id(), "its network could not be taken up again; nothing leaves it: " + failed.getMessage());
        }
    }

    private void settle(Box box, SandboxRow row) {
        if (row.target() != null) {
            Target target = row.target();
            core.background().run("finishing " + target.wire() + " of " + row.id(), () -> core.boxes().locked(box, () -> unfinished(box)));
        } else if (row.state().holdsInstance()) {
            resting(box, row);
        } else {
            core.timers().watch(box, row.quarantined() ? null : row.endsAt());
        }
    }

    /// It ran or was paused, and nothing was going on.
    private void resting(Box box, SandboxRow row) {
        LiveBox live = box.live();
        if (live == null) {
            gone(box, row);
            return;
        }
        if (row.state() == State.PAUSED) {
            live.instance().freeze();
        } else {
            live.instance().thaw();
            live.instance().limit(LimitRules.enforced(row.limits()));
            core.background().run("greeting a guest again", () -> core.handover().resume(live, row.hostname()));
        }
        core.execs().recovered(live);
        core.timers().watch(box, row.quarantined() ? null : row.endsAt());
    }

    /// Its processes did not outlive the server: the host was restarted, or someone ended them.
    private SandboxRow gone(Box box, SandboxRow row) {
        side.end(box, row, "host");
        if (core.pool().disk(row.id()).isEmpty()) {
            StopReason lost = core.reason("host", null, "Its disk is gone.");
            return core.write(row, RowChange.settle(State.LOST).instance(null).remaining(null).endsAt(core.now().plus(core.config().times().lost())),
                    Records.ENGINE, "lost", lost);
        }
        StopReason reason = row.quarantined() && row.reason() != null ? row.reason()
                : core.reason("host", null, "Its processes ended while the server was away (a restart of the host).");
        core.log().add(row.id(), "stopped: " + reason.message());
        return core.write(row, RowChange.settle(State.STOPPED).instance(null).endsAt(null).remaining(null), Records.ENGINE, "stopped", reason);
    }

    /// Begun effects whose work ended without confirming them (an error on the way, an interrupted server): once more.
    void sweep() {
        for (SandboxRow row : core.store().read(SandboxRows::notEnded)) {
            if (row.target() != null) {
                Box box = core.boxes().box(row.id(), row.tenant());
                if (box.lock.tryLock()) {
                    try {
                        unfinished(box);
                    } catch (RuntimeException again) {
                        LOG.warn("{} of {} cannot be finished yet", row.target().wire(), row.id(), again);
                    } finally {
                        box.lock.unlock();
                    }
                }
            }
        }
    }

    /// Called under the box's lock.
    boolean unfinished(Box box) {
        Optional<SandboxRow> found = core.store().read(tx -> SandboxRows.find(tx, box.id().value()));
        Target target = found.map(SandboxRow::target).orElse(null);
        if (found.isEmpty() || target == null) {
            return false;
        }
        SandboxRow row = found.get();
        core.log().add(row.id(), "finishing an interrupted " + target.wire());
        switch (target) {
            case CREATE -> undoCreate(box, row);
            case START -> gone(box, row);
            case STOP -> ending.finishStop(box, row, Records.ENGINE, row.reason() == null ? core.reason("host", null, null) : row.reason());
            case PAUSE -> held(box, row, () -> pausing.finishPause(box, row, Records.ENGINE, null));
            case RESUME -> held(box, row, () -> pausing.finishResume(box, row, Records.ENGINE));
            case RESET -> starting.finishReset(box, row, Records.ENGINE);
            case KILL -> ending.finishKill(box, row, Records.ENGINE);
        }
        return true;
    }

    private void undoCreate(Box box, SandboxRow row) {
        creation.undo(row, new IllegalStateException("the server ended while it was made"));
        core.boxes().forget(box.id());
    }

    private void held(Box box, SandboxRow row, Runnable finish) {
        LiveBox live = box.live();
        if (live == null) {
            gone(box, row);
        } else {
            core.execs().recovered(live);
            finish.run();
        }
    }
}
