// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Idle connections that a guest has ready. At most a few: the oldest surplus one is closed, as the likeliest to be stale.
/// Thread-safe.
final class Spares {
    private static final int MOST = 4;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition change = lock.newCondition();
    private final ArrayDeque<SocketChannel> idle = new ArrayDeque<>();
    private boolean seen;
    private boolean closed;

    void add(SocketChannel channel) {
        lock.lock();
        try {
            idle.addLast(channel);
            seen = true;
            if (closed || idle.size() > MOST) {
                Greeting.drop(idle.removeFirst());
            }
            change.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// One of them; null when none came in that time or the link is closed.
    @Nullable SocketChannel take(long nanos) {
        lock.lock();
        try {
            while (idle.isEmpty()) {
                if (closed || nanos <= 0) {
                    return null;
                }
                nanos = change.awaitNanos(nanos);
            }
            return idle.removeFirst();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } finally {
            lock.unlock();
        }
    }

    /// False when none ever came in that time.
    boolean awaitFirst(long nanos) {
        lock.lock();
        try {
            while (!seen && !closed && nanos > 0) {
                nanos = change.awaitNanos(nanos);
            }
            return seen;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            idle.forEach(Greeting::drop);
            idle.clear();
            change.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
