// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Long work that many may ask for at once: for each key one runs at a time, and whoever asks while it does shares the next one. What anybody gets was begun after they asked, so it holds all that was so before. Thread-safe.
final class Together<K, V> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<K, Line<V>> lines = new HashMap<>();

    /// Those who wait for one key.
    private static final class Line<V> {
        private final ReentrantLock turn = new ReentrantLock(true);
        private @Nullable FutureTask<V> next;
        private int users;
    }

    V get(K key, Supplier<V> work) {
        FutureTask<V> task;
        Line<V> line;
        boolean first;
        lock.lock();
        try {
            line = lines.computeIfAbsent(key, k -> new Line<>());
            line.users++;
            first = line.next == null;
            task = line.next == null ? new FutureTask<>(work::get) : line.next;
            line.next = task;
        } finally {
            lock.unlock();
        }
        try {
            if (first) {
                run(line, task);
            }
            return task.get();
        } catch (ExecutionException e) {
            throw thrown(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The server is stopping.", "Ask again.").raise();
        } finally {
            left(key, line);
        }
    }

    private void run(Line<V> line, FutureTask<V> task) {
        line.turn.lock();
        try {
            begins(line);
            task.run();
        } finally {
            line.turn.unlock();
        }
    }

    /// Whoever comes from now on shares the one after.
    private void begins(Line<V> line) {
        lock.lock();
        try {
            line.next = null;
        } finally {
            lock.unlock();
        }
    }

    private void left(K key, Line<V> line) {
        lock.lock();
        try {
            if (--line.users == 0) {
                lines.remove(key);
            }
        } finally {
            lock.unlock();
        }
    }

    /// How many wait for a key, or run for it.
    int asking(K key) {
        lock.lock();
        try {
            var line = lines.get(key);
            return line == null ? 0 : line.users;
        } finally {
            lock.unlock();
        }
    }

    private static RuntimeException thrown(ExecutionException e) {
        if (e.getCause() instanceof Error error) {
            throw error;
        }
        return e.getCause() instanceof RuntimeException r ? r : new IllegalStateException(e.getCause());
    }
}
