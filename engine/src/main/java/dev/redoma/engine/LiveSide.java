// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.function.Consumer;

/// Takes instances into and out of service: registers the live side, its end and its clocks. Called under the box's lock.
final class LiveSide {
    private final Core core;
    private final ExitWatch exits;

    LiveSide(Core core, ExitWatch exits) {
        this.core = core;
        this.exits = exits;
    }

    /// A sandbox runs (its row says so).
    void runs(Box box, LiveBox live, SandboxRow row) {
        box.live(live);
        live.touch();
        core.timers().watch(box, row.endsAt());
    }

    void watchExit(LiveBox live) {
        exits.watch(live.id(), live.instance());
    }

    /// Ends what runs, or what an earlier server left of it; commands end as lost. Returns when nothing is left.
    void end(Box box, SandboxRow row, String why) {
        end(box, row, why, core.starter()::end);
    }

    /// The same where its disk goes too.
    void endForGood(Box box, SandboxRow row, String why) {
        end(box, row, why, core.starter()::discard);
    }

    private void end(Box box, SandboxRow row, String why, Consumer<LiveBox> how) {
        core.timers().forget(box);
        LiveBox live = box.live();
        if (live != null) {
            how.accept(live);
            box.live(null);
        } else {
            core.tiers().of(row).remove(row.instance() == null ? new InstanceRef(row.id().value(), 0, 0) : row.instance());
            core.places().remove(row.id());
        }
        core.execs().gone(row.id(), why);
    }
}
