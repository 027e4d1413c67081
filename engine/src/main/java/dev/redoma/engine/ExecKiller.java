// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.time.Duration;

/// Ends execs with everything that descends from them: by the cgroup, whatever the guest says or does not say.
final class ExecKiller {
    private static final Duration NEWS = Duration.ofSeconds(10);

    private final ExecEnding ending;

    ExecKiller(ExecEnding ending) {
        this.ending = ending;
    }

    /// Its time is over. What throws left it alive, and may be tried again.
    void expire(ExecRun run) {
        if (run.expire()) {
            end(run);
        }
    }

    /// True if anything was alive. When it returns nothing is, and the end is recorded.
    boolean kill(ExecRun run) {
        boolean running = run.markKilled();
        var group = run.group();
        boolean populated = group != null && group.populated();
        if (running || populated) {
            end(run);
        }
        return running || populated;
    }

    /// It did not get as far as running: whatever there is of it goes, and there is no end to report.
    void abort(ExecRun run) {
        run.markKilled();
        var group = run.group();
        if (group != null) {
            group.kill();
        }
        run.hangUp();
    }

    /// What the guest does not confirm in time is lost: that its processes are gone was seen here, how it ended was not.
    private void end(ExecRun run) {
        var group = run.group();
        if (group != null) {
            group.kill();
        }
        try {
            if (!run.awaitEnd(NEWS)) {
                ending.lost(run, "it was killed, and the guest did not report its exit");
                run.hangUp();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
