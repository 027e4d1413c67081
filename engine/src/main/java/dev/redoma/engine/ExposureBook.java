// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What is exposed, in memory, with whoever is there by it: the router asks at every request. Thread-safe.
final class ExposureBook {
    private final Clock clock;
    private final Map<String, Entry> byId = new ConcurrentHashMap<>();
    private final Map<SandboxId, List<Entry>> bySandbox = new ConcurrentHashMap<>();

    ExposureBook(Clock clock) {
        this.clock = clock;
    }

    private record Entry(ExposureRow row, Set<Stay> stays) {}

    private record Stay(Entry at, Runnable cutOff) implements Exposures.Visit {
        @Override
        public void close() {
            at.stays.remove(this);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    void add(ExposureRow row) {
        var entry = new Entry(row, ConcurrentHashMap.newKeySet());
        byId.put(row.id().value(), entry);
        bySandbox.compute(row.sandbox(), (id, there) -> {
            var all = there == null ? new ArrayList<Entry>() : new ArrayList<>(there);
            all.add(entry);
            return List.copyOf(all);
        });
    }

    /// Nobody comes in by it any more, and whoever is there by it is cut off.
    void end(ExposureRow row) {
        var entry = byId.remove(row.id().value());
        bySandbox.computeIfPresent(row.sandbox(), (id, there) -> {
            var rest = there.stream().filter(e -> !e.row.id().equals(row.id())).toList();
            return rest.isEmpty() ? null : rest;
        });
        if (entry != null) {
            cut(entry);
        }
    }

    private static void cut(Entry entry) {
        for (Stay stay : entry.stays) {
            entry.stays.remove(stay);
            stay.cutOff.run();
        }
    }

    /// The oldest first.
    List<ExposureRow> of(SandboxId sandbox) {
        return bySandbox.getOrDefault(sandbox, List.of()).stream().map(Entry::row).toList();
    }

    @Nullable ExposureRow find(String id) {
        var entry = byId.get(id);
        return entry == null ? null : entry.row;
    }

    /// Put down first and looked at again after: either the end meets it, or it meets the end.
    Exposures.Visit visit(String id, Runnable cutOff) {
        var entry = byId.get(id);
        if (entry == null) {
            cutOff.run();
            return () -> {};
        }
        var stay = new Stay(entry, cutOff);
        entry.stays.add(stay);
        if (byId.get(id) != entry || entry.row.expired(clock.instant())) {
            cut(entry);
        }
        return stay;
    }

    /// Cuts off whoever is there by what has expired, and forgets the sandboxes that are gone.
    void sweep(Predicate<SandboxId> there) {
        var now = clock.instant();
        byId.values().stream().filter(e -> e.row.expired(now)).forEach(ExposureBook::cut);
        bySandbox.keySet().stream().filter(s -> !there.test(s)).toList().forEach(s -> of(s).forEach(this::end));
    }
}
