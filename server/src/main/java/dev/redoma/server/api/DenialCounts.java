// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.model.TenantId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How often what was refused, since it was told last. What is new is due at once; what goes on, after twice the time each time. Thread-safe.
final class DenialCounts {
    /// Kinds that wait at a time; what is beyond is counted together.
    static final int MOST = 256;
    static final Duration LONGEST = Duration.ofMinutes(5);

    private final long shortest;
    private final Map<Kind, Long> counts = new HashMap<>();
    private final Map<Kind, Told> told = new HashMap<>();

    DenialCounts(Duration shortest) {
        this.shortest = shortest.toNanos();
    }

    record Kind(String tenant, String actor, Map<String, Object> facts) {
        static final Kind MANY = new Kind(TenantId.DEFAULT.value(), "server", Map.of("code", "many"));
    }

    /// When a kind was told last, and how long it then waits.
    private record Told(long at, long pause) {
        boolean due(long now) {
            return now - at >= pause;
        }

        boolean stopped(long now) {
            return now - at > 2 * pause;
        }
    }

    synchronized void add(Kind kind) {
        counts.merge(counts.containsKey(kind) || counts.size() < MOST ? kind : Kind.MANY, 1L, Long::sum);
    }

    /// What is to be told now, and is then not counted any more. `all`: whatever is there.
    synchronized Map<Kind, Long> due(boolean all, long now) {
        told.entrySet().removeIf(t -> t.getValue().stopped(now) && !counts.containsKey(t.getKey()));
        var due = new HashMap<Kind, Long>();
        counts.forEach((kind, count) -> {
            var before = told.get(kind);
            if (all || before == null || before.due(now)) {
                due.put(kind, count);
                told.put(kind, after(before, now));
            }
        });
        counts.keySet().removeAll(due.keySet());
        return due;
    }

    private Told after(@Nullable Told before, long now) {
        return new Told(now, before == null || before.stopped(now) ? shortest : Math.min(LONGEST.toNanos(), 2 * before.pause()));
    }

    /// It could not be told.
    synchronized void back(Map<Kind, Long> due) {
        due.forEach((kind, count) -> counts.merge(kind, count, Long::sum));
    }
}
