// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The members of one kind: those that wait, those on their way, and how often starting one failed. Thread-safe.
final class WarmShelf {
    private static final int ATTEMPTS = 3;
    private static final Duration BACKOFF = Duration.ofSeconds(1);

    private final WarmKey key;
    /// The plan of the create that asked last; members are started by it, with default limits.
    private volatile Plan plan;
    /// Guards everything below.
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<LiveBox> waiting = new ArrayDeque<>();
    private int starting;
    private int failures;
    private Instant notBefore = Instant.MIN;
    private Instant usedAt;

    WarmShelf(WarmKey key, Plan plan, Instant now) {
        this.key = key;
        this.plan = plan;
        this.usedAt = now;
    }

    WarmKey key() {
        return key;
    }

    Plan plan() {
        return plan;
    }

    void used(Plan by, Instant now) {
        plan = by;
        locked(() -> usedAt = now);
    }

    Instant usedAt() {
        return locked(() -> usedAt);
    }

    Optional<LiveBox> take() {
        return Optional.ofNullable(locked(waiting::pollFirst));
    }

    boolean waits() {
        return locked(() -> !waiting.isEmpty());
    }

    /// False where it was dropped from service meanwhile.
    void arrived(LiveBox member) {
        locked(() -> {
            starting--;
            failures = 0;
            waiting.add(member);
            return true;
        });
    }

    /// How long to wait before the next attempt.
    Duration failed(Instant now) {
        return locked(() -> {
            starting--;
            failures++;
            Duration pause = BACKOFF.multipliedBy(1L << (2 * (failures - 1)));
            notBefore = now.plus(pause);
            return pause;
        });
    }

    /// No attempt was made (no room on the host): not a failure of the template.
    void postponed(Instant until) {
        locked(() -> {
            starting--;
            notBefore = until;
            return true;
        });
    }

    /// Reserves a start if one is due.
    boolean wantsOne(int size, Instant now) {
        return locked(() -> {
            if (failures >= ATTEMPTS || waiting.size() + starting >= size || now.isBefore(notBefore)) {
                return false;
            }
            starting++;
            return true;
        });
    }

    /// After that many failed starts in a row it gives up, until the template changes or the shelf is not used for a while.
    boolean degraded() {
        return locked(() -> failures >= ATTEMPTS);
    }

    boolean drop(LiveBox member) {
        return locked(() -> waiting.remove(member));
    }

    int size() {
        return locked(() -> waiting.size() + starting);
    }

    List<LiveBox> drain() {
        return locked(() -> {
            var all = new ArrayList<>(waiting);
            waiting.clear();
            return all;
        });
    }

    private <T extends @Nullable Object> T locked(java.util.function.Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
