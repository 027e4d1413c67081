// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.RedomaException;
import dev.redoma.store.Store;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at all execs once a second: tells the row that one runs, finds those whose processes are gone while the guest says nothing,
/// and removes the cgroups of those that left children behind once these are gone.
final class ExecWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecWatch.class);
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final Duration SILENCE = Duration.ofSeconds(7);

    private final ExecRuns runs;
    private final ExecEnding ending;
    private final Store store;
    private final Queue<Leftover> leftovers = new ConcurrentLinkedQueue<>();
    private final Thread thread = Thread.ofVirtual().name("redoma-exec-watch").unstarted(this::run);
    private volatile boolean closed;

    ExecWatch(ExecRuns runs, ExecEnding ending, Store store) {
        this.runs = runs;
        this.ending = ending;
        this.store = store;
    }

    void start() {
        thread.start();
    }

    /// Removes the group now or when its last process is gone.
    void release(ExecRun run) {
        var instance = run.live().instance();
        var group = run.group() != null ? run.group() : instance.group(run.facts().id()).orElse(null); // one that was only prepared
        if (group != null && !removed(group)) {
            leftovers.add(new Leftover(instance, group));
        }
    }

    private void run() {
        while (!closed) {
            try {
                Thread.sleep(ROUND);
                round();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.error("watching execs", e);
            }
        }
    }

    private void round() {
        runs.all().forEach(this::check);
        leftovers.removeIf(l -> !l.instance.alive() || removed(l.group));
    }

    private void check(ExecRun run) {
        try {
            if (run.toPersist()) {
                store.write(tx -> {
                    ExecRows.running(tx, run.facts().id(), run.pid(), run.boot());
                    return true;
                });
            }
            if (deserted(run)) {
                ending.lost(run, "its processes are gone, and the guest did not report its exit");
                run.hangUp();
            }
        } catch (RedomaException e) {
            LOG.warn("watching {}: {}", run.facts().id(), e.getMessage());
        }
    }

    private static boolean deserted(ExecRun run) {
        var group = run.group();
        return group != null && run.begun() && !run.over() && run.silence().compareTo(SILENCE) > 0
                && !run.live().instance().frozen() && !group.populated() && !run.over();
    }

    private static boolean removed(Instance.ExecGroup group) {
        try {
            return group.remove();
        } catch (RedomaException e) {
            LOG.warn("a cgroup stays for now: {}", e.getMessage());
            return false;
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    private record Leftover(Instance instance, Instance.ExecGroup group) {}
}
