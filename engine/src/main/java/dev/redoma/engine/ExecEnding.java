// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.Exited;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.store.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records how execs end: row and ledger record in one commit, and only then anybody learns of it. What cannot be recorded is tried
/// again until the server stops; the next one then hears it from the guest, which keeps it.
final class ExecEnding {
    private static final Logger LOG = LoggerFactory.getLogger(ExecEnding.class);
    private static final Duration AGAIN = Duration.ofMillis(500);

    private final Store store;
    private final ExecLog log;
    private final Clock clock;

    ExecEnding(Store store, ExecLog log, Clock clock) {
        this.store = store;
        this.log = log;
        this.clock = clock;
    }

    /// Its first process has ended, says the guest.
    void exited(ExecRun run, Exited exited, boolean outputClosed) {
        if (!run.claim()) {
            return;
        }
        var counted = Counted.of(run.group());
        boolean oom = counted.oom();
        int signal = exited.getSignal();
        int code = signal == 0 ? exited.getCode() : 128 + signal;
        // One that came to a good end of its own in the instant in which we ended it was not ended by us.
        boolean ours = signal != 0 || code != 0;
        boolean timedOut = ours && run.timedOut();
        boolean killed = ours && run.killed();
        var reason = timedOut ? "timeout" : killed ? "killed" : oom ? "oom" : null;
        long cpu = run.group() != null ? counted.cpuMicros() : exited.getUserUs() + exited.getSystemUs();
        long peak = run.group() != null ? counted.peakBytes() : exited.getMaxRssBytes();
        var now = now();
        finish(run, new ExecOutcome(ExecOutcome.EXITED, code, signal == 0 ? null : signal, timedOut, killed, oom, reason, now,
                wall(run, now), cpu, peak), outputClosed);
    }

    /// Nobody can say any more how it ended. What the kernel counted of it is known all the same, as long as its groups are there.
    void lost(ExecRun run, String reason) {
        if (run.claim()) {
            var counted = Counted.of(run.group());
            var now = now();
            finish(run, new ExecOutcome(ExecOutcome.LOST, null, null, run.timedOut(), run.killed(), counted.oom(), reason, now, wall(run, now),
                    counted.cpuMicros() > 0 ? counted.cpuMicros() : null, counted.peakBytes() > 0 ? counted.peakBytes() : null), true);
        }
    }

    /// What its cgroups say: the host's own word, whatever the guest says. All zero without any.
    private record Counted(boolean oom, long cpuMicros, long peakBytes) {
        static Counted of(Instance.@Nullable ExecGroup group) {
            return group == null ? new Counted(false, 0, 0) : new Counted(group.oomKills() > 0, group.cpuMicros(), group.peakMemoryBytes());
        }
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    private static long wall(ExecRun run, Instant now) {
        return Math.max(0, ChronoUnit.MICROS.between(run.facts().startedAt(), now));
    }

    /// One of an earlier server, whose sandbox is gone: with the output that was kept.
    void lostBefore(ExecRows.Unfinished row, Spool spool, String reason) {
        var output = new ExecRows.Output(spool.kept(), spool.dropped(), true);
        var now = now();
        var outcome = new ExecOutcome(ExecOutcome.LOST, null, null, false, false, false, reason, now,
                Math.max(0, ChronoUnit.MICROS.between(row.facts().startedAt(), now)), null, null);
        var digest = spool.digest();
        spool.close();
        store.write(tx -> {
            if (row.ended()) {
                ExecRows.output(tx, row.facts().id(), output);
            } else {
                ExecRows.end(tx, row.facts().id(), row.seen().pid(), outcome, output);
                log.end(tx, row.facts(), outcome, output, digest, 0);
            }
            return true;
        });
    }

    private void finish(ExecRun run, ExecOutcome outcome, boolean closed) {
        run.output().flush();
        var spool = run.spool();
        var output = new ExecRows.Output(spool.kept(), spool.dropped(), closed);
        var digest = spool.digest();
        var written = run.input().settle();
        Integer pid = run.pid() == 0 ? null : run.pid();
        boolean recorded = insist(run, () -> store.write(tx -> {
            ExecRows.end(tx, run.facts().id(), pid, outcome, output);
            log.inputs(tx, run.facts(), written, run.recovered(), "end");
            log.end(tx, run.facts(), outcome, output, digest, run.live().limits().memoryBytes());
            log.masked(tx, run.facts(), run.output(), closed ? "all" : "until-exit");
            return true;
        }));
        if (recorded) {
            run.output().recorded();
            run.publish(outcome, output.kept(), closed);
        }
    }

    /// All its output has come, after its end.
    void outputClosed(ExecRun run) {
        run.output().flush();
        var output = new ExecRows.Output(run.spool().kept(), run.spool().dropped(), true);
        insist(run, () -> store.write(tx -> {
            ExecRows.output(tx, run.facts().id(), output);
            log.masked(tx, run.facts(), run.output(), "all");
            return true;
        }));
    }

    /// It was recorded as asked for, but never began: nothing of it stays but the records.
    void refused(ExecRun run, Problem why) {
        store.write(tx -> {
            ExecRows.delete(tx, run.facts().id());
            log.refused(tx, run.facts(), why);
            return true;
        });
    }

    private static boolean insist(ExecRun run, Runnable commit) {
        while (!run.abandoned()) {
            try {
                commit.run();
                return true;
            } catch (RedomaException e) {
                LOG.error("the end of {} is not recorded yet: {}", run.facts().id(), e.getMessage());
                try {
                    Thread.sleep(AGAIN);
                } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
        return false;
    }
}
