// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.Errno;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Lets mount namespaces go behind those who ended what ran in them. When the last holder of one goes, the kernel unmounts its overlay,
/// and for that writes back and commits the whole file system below: a cost that grows with what neighbours write, and that the dying
/// process and whoever waits for its end would bear. If this server dies, the kernel lets them go with it. Thread-safe.
final class Unmounting implements AutoCloseable {
    /// More than these would only pile up: whoever adds one then waits as if it were not for us.
    private static final int MOST = 256;
    /// One commit serves all that gathered meanwhile.
    private static final Duration GATHERING = Duration.ofMillis(100);
    private static final Duration LAST = Duration.ofSeconds(30);

    private final Thread thread = Thread.ofPlatform().daemon().name("unmounting").unstarted(this::work);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition change = lock.newCondition();
    private final ArrayDeque<Fd> waiting = new ArrayDeque<>();
    private boolean closed;
    private boolean started;

    /// The mount namespace of a process, kept until `later`; empty if the process has ended.
    Optional<Fd> hold(int pid) {
        try {
            return Optional.of(Fd.open(Path.of("/proc", Integer.toString(pid), "ns/mnt"), Open.RDONLY, 0));
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT, Errno.ESRCH)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    void later(Fd namespace) {
        lock.lock();
        try {
            if (!closed && waiting.size() < MOST) {
                waiting.add(namespace);
                if (!started) {
                    started = true;
                    thread.start();
                }
                change.signal();
                return;
            }
        } finally {
            lock.unlock();
        }
        namespace.close();
    }

    private void work() {
        for (var batch = next(); !batch.isEmpty(); batch = next()) {
            batch.forEach(Fd::close);
        }
    }

    /// Waits for one, and a little for others; empty when there will be no more.
    private List<Fd> next() {
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed) {
                change.awaitUninterruptibly();
            }
            for (long left = GATHERING.toNanos(); !closed && left > 0; ) {
                left = change.awaitNanos(left);
            }
            var batch = new ArrayList<>(waiting);
            waiting.clear();
            return batch;
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            return List.of();
        } finally {
            lock.unlock();
        }
    }

    /// Returns when all are gone, after half a minute at the latest.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            change.signal();
            if (!started) {
                return;
            }
        } finally {
            lock.unlock();
        }
        try {
            thread.join(TimeUnit.NANOSECONDS.toMillis(LAST.toNanos()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
