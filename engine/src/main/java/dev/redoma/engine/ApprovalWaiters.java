// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ApprovalId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/// Calls that wait until something becomes of a request. Whoever means to wait takes the `change` first and looks at the row after: so no change is missed. Thread-safe.
final class ApprovalWaiters {
    private final Map<String, CompletableFuture<Boolean>> changes = new ConcurrentHashMap<>();
    private final AtomicInteger held = new AtomicInteger();
    private volatile boolean closed;

    /// The next change of it.
    CompletableFuture<Boolean> change(ApprovalId id) {
        return changes.computeIfAbsent(id.value(), fresh -> new CompletableFuture<>());
    }

    /// It has changed.
    void wake(ApprovalId id) {
        var change = changes.remove(id.value());
        if (change != null) {
            change.complete(true);
        }
    }

    /// Nobody waits for more of it; others may wait on the same change.
    void settled(ApprovalId id, CompletableFuture<Boolean> change) {
        changes.remove(id.value(), change);
        change.complete(true);
    }

    /// False: nothing changed in that time.
    boolean await(CompletableFuture<Boolean> change, Duration time) throws InterruptedException {
        held.incrementAndGet();
        try {
            return change.get(Math.max(1, time.toNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException over) {
            return false;
        } catch (ExecutionException never) {
            throw new IllegalStateException(never);
        } finally {
            held.decrementAndGet();
        }
    }

    int held() {
        return held.get();
    }

    boolean closed() {
        return closed;
    }

    /// Whoever waits looks at the row once more, and then waits no longer.
    void close() {
        closed = true;
        changes.values().forEach(change -> change.complete(true));
    }
}
