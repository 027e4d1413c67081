// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Watches lifetimes and idle limits: one pending look per sandbox, at the earliest instant at which something can be due. Activity
/// costs nothing here; a look that finds nothing due plans the next. Thread-safe.
final class Timers {
    private static final Duration SOONEST = Duration.ofMillis(20);
    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final Clock clock;
    private final Background background;
    private final ConcurrentHashMap<Box, Entry> pending = new ConcurrentHashMap<>();
    private volatile Consumer<Box> due = box -> {};

    Timers(Clock clock, Background background) {
        this.clock = clock;
        this.background = background;
    }

    private record Entry(@Nullable Instant endsAt, ScheduledFuture<?> look) {}

    /// What happens to a box with something due; it looks again itself, under the box's lock.
    void onDue(Consumer<Box> action) {
        due = action;
    }

    /// From now on this end (null: none) and the idle limit of the live side (if any) are watched.
    void watch(Box box, @Nullable Instant endsAt) {
        Duration left = left(box, endsAt);
        Entry before = left == null ? pending.remove(box) : pending.put(box, new Entry(endsAt, plan(box, left)));
        if (before != null) {
            before.look().cancel(false);
        }
    }

    void forget(Box box) {
        Entry before = pending.remove(box);
        if (before != null) {
            before.look().cancel(false);
        }
    }

    private ScheduledFuture<?> plan(Box box, Duration left) {
        return background.after(left.compareTo(SOONEST) < 0 ? SOONEST : left, "a timer", () -> look(box));
    }

    private void look(Box box) {
        Entry entry = pending.get(box);
        if (entry == null) {
            return;
        }
        Duration left = left(box, entry.endsAt());
        if (left != null && left.compareTo(Duration.ZERO) <= 0) {
            end(box, entry);
        } else {
            watch(box, entry.endsAt());
        }
    }

    /// What could not be done now is looked at again, so that nothing runs on for ever.
    private void end(Box box, Entry entry) {
        try {
            due.accept(box);
        } catch (RuntimeException | Error failed) {
            var again = new Entry(entry.endsAt(), plan(box, AGAIN));
            Entry chosen = pending.compute(box, (b, now) -> now == null || now == entry ? again : now);
            if (chosen != again) {
                again.look().cancel(false);
            }
            throw failed;
        }
    }

    private @Nullable Duration left(Box box, @Nullable Instant endsAt) {
        Duration life = endsAt == null ? null : Duration.between(clock.instant(), endsAt);
        LiveBox live = box.live();
        if (live == null || live.instance().frozen()) {
            return life;
        }
        Duration idle = live.idleLimit().minus(live.idle());
        return life == null || idle.compareTo(life) < 0 ? idle : life;
    }
}
