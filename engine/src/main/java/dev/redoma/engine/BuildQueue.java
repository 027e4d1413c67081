// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.BuildId;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs builds: a few at a time, those of one template name one after the other, in the order in which they came. Thread-safe.
final class BuildQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BuildQueue.class);
    private static final Duration LAST = Duration.ofSeconds(20);

    private final Core core;
    private final BuildPlaces places;
    private final Function<BuildOrder, Runnable> making;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<BuildId, BuildOrder> waiting = new LinkedHashMap<>();
    private final Map<BuildId, BuildOrder> working = new LinkedHashMap<>();
    private boolean closed;

    BuildQueue(Core core, BuildPlaces places, Function<BuildOrder, Runnable> making) {
        this.core = core;
        this.places = places;
        this.making = making;
    }

    /// `insert` writes its row; it is in the queue from then on.
    void add(BuildOrder order, Runnable insert) {
        lock.lock();
        try {
            if (closed) {
                throw Problem.of(Code.STOPPING, "The server is stopping.", "Try again in a few seconds.").raise();
            }
            int most = core.config().building().waiting();
            if (waiting.size() >= most) {
                throw Problem.of(Code.QUOTA_EXCEEDED, waiting.size() + " builds are waiting.", "Wait until some have ended, or cancel some.")
                        .with("limit", most).with("inUse", waiting.size()).raise();
            }
            insert.run();
            waiting.put(order.id(), order);
        } finally {
            lock.unlock();
        }
        next();
    }

    /// One that has not ended.
    Optional<BuildOrder> find(BuildId id) {
        lock.lock();
        try {
            return Optional.ofNullable(waiting.getOrDefault(id, working.get(id)));
        } finally {
            lock.unlock();
        }
    }

    private void next() {
        var ready = new ArrayList<BuildOrder>();
        lock.lock();
        try {
            for (BuildOrder order : List.copyOf(waiting.values())) {
                boolean busy = working.values().stream().anyMatch(w -> w.row().template().equals(order.row().template()));
                if (!busy && working.size() < core.config().building().atOnce() && !closed) {
                    waiting.remove(order.id());
                    working.put(order.id(), order);
                    ready.add(order);
                }
            }
        } finally {
            lock.unlock();
        }
        ready.forEach(order -> Thread.ofVirtual().name("redoma-build-" + order.id()).start(() -> work(order)));
    }

    private void work(BuildOrder order) {
        try {
            core.store().write(tx -> {
                BuildRows.running(tx, order.id(), core.now());
                return true;
            });
            Faults.at("build.begun");
            making.apply(order).run();
        } catch (RuntimeException | Error failed) {
            failed(order, failed);
        } finally {
            settled(order);
        }
    }

    private void failed(BuildOrder order, Throwable failed) {
        var problem = BuildService.problem(failed);
        if (!(failed instanceof dev.redoma.model.RedomaException)) {
            LOG.warn("build {} failed", order.id(), failed);
        }
        try {
            order.log().say((order.cancelled() ? "cancelled: " : "failed: ") + problem.detail());
            end(order, order.cancelled() ? BuildRow.CANCELLED : BuildRow.FAILED, order.cancelled() ? null : problem);
        } catch (RuntimeException unrecorded) {
            LOG.warn("the end of build {} could not be recorded; the next start does it", order.id(), unrecorded);
        }
    }

    private void end(BuildOrder order, String state, dev.redoma.model.wire.@Nullable Problem problem) {
        core.store().write(tx -> {
            if (BuildRows.end(tx, order.id(), state, null, problem, core.now())) {
                core.records().build(tx, order.row(), order.caller().key(), "build." + state, problem == null ? Map.of() : Map.of("code", problem.code()));
            }
            return true;
        });
    }

    private void settled(BuildOrder order) {
        lock.lock();
        try {
            working.remove(order.id());
            waiting.remove(order.id());
        } finally {
            lock.unlock();
        }
        order.log().end();
        try (var files = order.files()) {
            places.removeFiles(order.id());
        } catch (IOException | RuntimeException e) {
            LOG.warn("the files of build {} could not be removed; the next start does it", order.id(), e);
        }
        order.settled().countDown();
        next();
    }

    void cancel(BuildOrder order) {
        boolean waited;
        lock.lock();
        try {
            waited = waiting.remove(order.id()) != null;
        } finally {
            lock.unlock();
        }
        order.cancel();
        if (waited) {
            end(order, BuildRow.CANCELLED, null);
            settled(order);
        }
    }

    /// What is at work is broken off and ends as failed, as what waits does.
    @Override
    public void close() {
        List<BuildOrder> left;
        List<BuildOrder> never;
        lock.lock();
        try {
            closed = true;
            left = List.copyOf(working.values());
            never = List.copyOf(waiting.values());
        } finally {
            lock.unlock();
        }
        left.forEach(BuildOrder::interrupt);
        never.forEach(order -> {
            order.interrupt();
            failed(order, Problem.of(Code.BUILD_INTERRUPTED, "The server stopped before the build began.", "Build again.").raise());
            settled(order);
        });
        long end = System.nanoTime() + LAST.toNanos();
        for (BuildOrder order : left) {
            try {
                if (!order.settled().await(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                    LOG.warn("build {} did not end; the next start ends it", order.id());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
