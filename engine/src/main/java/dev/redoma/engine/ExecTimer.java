// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends execs at their deadline. While a sandbox is paused its execs wait with it, and end right after it goes on.
final class ExecTimer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecTimer.class);
    private static final Duration PAUSED = Duration.ofMillis(500);
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final ScheduledThreadPoolExecutor clock;
    private final ExecKiller killer;

    ExecTimer(ExecKiller killer) {
        this.killer = killer;
        this.clock = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("redoma-exec-deadlines").factory());
        clock.setRemoveOnCancelPolicy(true);
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /// It runs from now on.
    void arm(ExecRun run) {
        var timeout = run.facts().spec().timeoutMs();
        if (timeout != null) {
            arm(run, Duration.ofMillis(timeout));
        }
    }

    /// One that an earlier server started.
    void rearm(ExecRun run, Instant now) {
        var deadline = run.facts().deadline();
        if (deadline != null) {
            arm(run, Duration.between(now, deadline));
        }
    }

    private void arm(ExecRun run, Duration in) {
        var task = schedule(run, in);
        run.onEnd(() -> task.cancel(false));
    }

    private java.util.concurrent.Future<?> schedule(ExecRun run, Duration in) {
        return clock.schedule(() -> { Thread.startVirtualThread(() -> fire(run)); }, Math.max(0, in.toNanos()), TimeUnit.NANOSECONDS);
    }

    private void fire(ExecRun run) {
        if (run.over()) {
            return;
        }
        try {
            if (run.live().instance().frozen()) {
                schedule(run, PAUSED);
            } else {
                killer.expire(run);
            }
        } catch (RuntimeException e) {
            if (run.over()) {
                return;
            }
            LOG.error("{} is over its time and lives on; it is tried again", run.facts().id(), e);
            schedule(run, AGAIN);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
