// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.StopReason;
import dev.redoma.model.wire.Usage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Stops and kills. Called under the box's lock; each is begun in the database, done, and then confirmed there, and can be done again
/// from its beginning if the server died in between.
final class Ending {
    private final Core core;
    private final LiveSide side;
    private final Runnable afterEnd;
    private final CacheCopies copies;
    private final ReviewClosing reviews;

    /// `afterEnd`: looks what nothing stands on any more.
    Ending(Core core, LiveSide side, Runnable afterEnd, CacheCopies copies, ReviewClosing reviews) {
        this.reviews = reviews;
        this.copies = copies;
        this.core = core;
        this.side = side;
        this.afterEnd = afterEnd;
    }

    SandboxRow kill(Box box, String actor, StopReason reason) {
        SandboxRow row = core.row(box);
        if (row.state() == State.ENDED && row.target() == null) {
            return row;
        }
        SandboxRow begun = core.write(row, RowChange.begin(Target.KILL), actor, "kill", reason);
        Faults.at("kill.begun");
        return finishKill(box, begun, actor);
    }

    /// From a row whose target is `kill`.
    SandboxRow finishKill(Box box, SandboxRow row, String actor) {
        StopReason reason = row.reason() == null ? core.reason("killed", null, null) : row.reason();
        Map<String, Object> last = lastSeen(box, row);
        side.endForGood(box, row, reason.kind());
        Faults.at("kill.ended");
        boolean aside = reviews.aside(row, reason.kind());
        java.time.Instant until = reviews.until(row);
        copies.remove(core, row);
        Faults.at("kill.disk");
        core.uplink().cut(row.id()); // again, for what could not be recorded when it was
        var reconciled = core.store().read(tx -> Reconciled.of(tx, row.id(), core.uplink().reconciled(tx, row.id())));
        last.put("reconciled", reconciled);
        record Ended(SandboxRow row, List<ApprovalRow> waited) {}
        var ended = core.store().write(tx -> {
            if (row.uidBase() != null) {
                core.ranges().release(tx, row.range());
            }
            VolumeRows.forget(tx, row.id());
            reviews.ending(tx, row, aside, core.uplink().authority(row), until);
            core.uplink().forget(tx, row.id());
            ExposureRows.forget(tx, row.id());
            AttachRows.forget(tx, row.id().value());
            RowChange.settle(State.ENDED).instance(null).noRange().endsAt(null).remaining(null).endedAt(core.now()).apply(tx, row.id());
            last.put("reason", reason.kind());
            if (Boolean.FALSE.equals(reconciled.get("whole"))) {
                core.records().sandbox(tx, row, Records.ENGINE, "gap", reconciled);
            }
            core.records().sandbox(tx, row, actor, "ended", last);
            return new Ended(SandboxRows.get(tx, row.id()), core.approvals().desk().ending(tx, row.id()));
        });
        core.approvals().desk().ended(ended.waited());
        core.approvals().forget(row.id());
        core.log().add(row.id(), "ended: " + reason.kind());
        core.boxes().forget(row.id());
        core.background().run("reading what an ended sandbox changed", () -> {
            try {
                reviews.close(row.id());
            } finally {
                afterEnd.run();
            }
        });
        return ended.row();
    }

    SandboxRow stop(Box box, String actor, StopReason reason) {
        SandboxRow row = core.row(box);
        if (row.state() == State.STOPPED) {
            return row;
        }
        if (!row.state().holdsInstance()) {
            throw Access.wrongState(row, "stop");
        }
        SandboxRow begun = core.write(row, RowChange.begin(Target.STOP), actor, "stop", reason);
        Faults.at("stop.begun");
        return finishStop(box, begun, actor, reason);
    }

    SandboxRow finishStop(Box box, SandboxRow row, String actor, StopReason reason) {
        side.end(box, row, reason.kind());
        Faults.at("stop.ended");
        core.log().add(row.id(), "stopped: " + reason.kind());
        return core.write(row, RowChange.settle(State.STOPPED).instance(null).endsAt(null).remaining(null), actor, "stopped", reason);
    }

    /// What the host read last of a sandbox that still has an instance.
    private Map<String, Object> lastSeen(Box box, SandboxRow row) {
        var facts = new LinkedHashMap<String, Object>();
        LiveBox live = box.live();
        if (live != null && row.state().holdsInstance()) {
            try {
                Usage u = live.instance().usage();
                facts.put("cpuMs", u.cpuMs());
                facts.put("memoryPeakBytes", u.memoryPeakBytes());
                facts.put("oomKills", u.oomKills());
            } catch (RuntimeException gone) {
                facts.put("usage", "not readable any more");
            }
        }
        return facts;
    }
}
