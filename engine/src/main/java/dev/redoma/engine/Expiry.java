// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.wire.StopReason;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What happens to a sandbox whose lifetime or idle limit is over: as `onTimeout` says. Looks again under the lock, so that activity
/// or a new end time in the last moment counts; what comes after that waits and hears how it went.
final class Expiry {
    private final Core core;
    private final Ending ending;
    private final Pausing pausing;

    Expiry(Core core, Ending ending, Pausing pausing) {
        this.core = core;
        this.ending = ending;
        this.pausing = pausing;
    }

    void due(Box box) {
        core.boxes().locked(box, () -> {
            SandboxRow row = core.row(box);
            StopReason reason = row.quarantined() ? null : reason(box, row);
            if (reason == null) {
                core.timers().watch(box, row.quarantined() ? null : row.endsAt());
            } else {
                endOrStay(box, row, reason);
            }
            return true;
        });
    }

    /// One that could not be ended goes on as before.
    private void endOrStay(Box box, SandboxRow row, StopReason reason) {
        try {
            end(box, row, reason);
        } catch (RuntimeException | Error failed) {
            LiveBox live = box.live();
            if (live != null) {
                live.stay();
            }
            throw failed;
        }
    }

    private @Nullable StopReason reason(Box box, SandboxRow row) {
        Instant now = core.now();
        if (row.endsAt() != null && !now.isBefore(row.endsAt())) {
            return core.reason("timeout", "lifetimeMs", "Its time was over at " + row.endsAt() + ".");
        }
        LiveBox live = box.live();
        if (row.state() != State.RUNNING || live == null) {
            return null;
        }
        Duration idle = live.idle();
        return live.leaveIfIdle()
                ? core.reason("idle", "idleMs", "Nothing used it for " + Amounts.time(idle) + ".")
                : null;
    }

    private void end(Box box, SandboxRow row, StopReason reason) {
        boolean runs = row.state() == State.RUNNING;
        if (runs && (row.onTimeout().equals("pause") || row.wakes())) {
            pausing.pause(box, Records.ENGINE, reason);
        } else if (row.state().holdsInstance() && row.onTimeout().equals("stop")) {
            ending.stop(box, Records.ENGINE, reason);
        } else {
            ending.kill(box, Records.ENGINE, reason);
        }
    }
}
