// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// The boxes of all sandboxes that have not ended. Thread-safe.
final class Boxes {
    private final ConcurrentHashMap<SandboxId, Box> all = new ConcurrentHashMap<>();
    private final Duration patience;

    Boxes(Duration patience) {
        this.patience = patience;
    }

    Box box(SandboxId id, TenantId tenant) {
        return all.computeIfAbsent(id, i -> new Box(i, tenant));
    }

    java.util.Optional<Box> find(SandboxId id) {
        return java.util.Optional.ofNullable(all.get(id));
    }

    /// By its id in text; empty for a name.
    java.util.Optional<Box> find(String id) {
        return SandboxId.looksLike(id) ? find(new SandboxId(id)) : java.util.Optional.empty();
    }

    void forget(SandboxId id) {
        all.remove(id);
    }

    List<Box> all() {
        return List.copyOf(all.values());
    }

    /// Runs as the one writer of this sandbox; waits for the one before it, but not for ever.
    <T> T locked(Box box, Supplier<T> work) {
        try {
            if (!box.lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw Problem.of(Code.REQUEST_TIMEOUT, "Another change of this sandbox has not finished within " + Amounts.time(patience) + ".", "Try again.")
                        .with("limit", "lock").raise();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The call was given up while it waited.", "Try again.").raise();
        }
        try {
            return work.get();
        } finally {
            box.lock.unlock();
        }
    }
}
