// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/// How much each kind of message may say: whoever makes the server write something can make it do so without end. What is too much is left out, and the next that is not tells how many were. Thread-safe.
final class LogBudget extends TurboFilter {
    private static final int MOST_KINDS = 1000;

    private final int atOnce;
    private final long each;
    private final ConcurrentHashMap<String, Kind> kinds = new ConcurrentHashMap<>();

    LogBudget() {
        this(50, Duration.ofSeconds(5));
    }

    /// `atOnce` of a kind, and one in each of these times.
    LogBudget(int atOnce, Duration each) {
        this.atOnce = atOnce;
        this.each = each.toNanos();
    }

    /// `until`: when the last that was let through is paid for.
    private final class Kind {
        private final AtomicLong until = new AtomicLong(System.nanoTime());
        private final AtomicInteger leftOut = new AtomicInteger();

        boolean take() {
            while (true) {
                long was = until.get();
                long now = System.nanoTime();
                long next = Math.max(was, now) + each;
                if (next - now > atOnce * each) {
                    leftOut.incrementAndGet();
                    return false;
                }
                if (until.compareAndSet(was, next)) {
                    return true;
                }
            }
        }
    }

    @Override
    public FilterReply decide(@Nullable Marker marker, Logger logger, Level level, @Nullable String format, Object @Nullable [] arguments, @Nullable Throwable failure) {
        if (format == null || !level.isGreaterOrEqual(logger.getEffectiveLevel())) {
            return FilterReply.NEUTRAL;
        }
        return kind(logger.getName(), format).take() ? FilterReply.NEUTRAL : FilterReply.DENY;
    }

    /// How many of its kind were left out since the last that was not.
    int leftOut(String logger, String format) {
        return kind(logger, format).leftOut.getAndSet(0);
    }

    /// Messages that libraries put together have no form of their own: of too many the rest is one kind.
    private Kind kind(String logger, String format) {
        var known = kinds.get(logger + " " + format);
        return known != null ? known : kinds.computeIfAbsent(kinds.size() < MOST_KINDS ? logger + " " + format : "", k -> new Kind());
    }
}
