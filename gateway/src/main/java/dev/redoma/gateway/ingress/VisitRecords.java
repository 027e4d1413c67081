// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Who came to a port of a sandbox, and who was not let in. The first visit of its kind is durable before the app sees anything of it; what repeats within a minute is counted and
/// recorded with its number. Refusals are durable within a few seconds. Beyond so many kinds of one sandbox, what comes is counted together: one sandbox's visitors take no room from
/// another's. Thread-safe.
final class VisitRecords implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VisitRecords.class);
    private static final long WINDOW = TimeUnit.SECONDS.toNanos(60);
    private static final Duration ROUND = Duration.ofSeconds(2);
    static final int KINDS = 64;
    private static final String ACTOR = "router";

    private final Store store;
    private final Ledger ledger;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Map<Kind, Count>> sandboxes = new HashMap<>();
    private final Thread rounds = Thread.ofVirtual().name("visit-rounds").unstarted(this::rounds);

    /// `exposure`: by which, null: without one. `who`: whose key was shown. `reason`: why not, where it was refused. `address`: null for what is counted together.
    private record Kind(String tenant, String sandbox, String action, int port, @Nullable String exposure, @Nullable String who, @Nullable String reason, @Nullable String address) {
        Kind crowd() {
            return new Kind(tenant, sandbox, action, port, null, null, "many", null);
        }
    }

    private static final class Count {
        private final long since = System.nanoTime();
        private boolean told;
        private long more;
    }

    VisitRecords(Store store, Ledger ledger) {
        this.store = store;
        this.ledger = ledger;
        rounds.start();
    }

    /// On record, or counted, when it returns; throws where it cannot be recorded.
    void visited(String tenant, String sandbox, int port, @Nullable String exposure, @Nullable String who, String address) {
        var kind = new Kind(tenant, sandbox, "visit", port, exposure, who, null, address);
        if (counted(kind)) {
            return;
        }
        try {
            write(List.of(entry(kind, 1)));
        } catch (RuntimeException failed) {
            forget(kind);
            throw failed;
        }
    }

    /// Counted; on record with the next round.
    void refused(String tenant, String sandbox, int port, @Nullable String who, String reason, String address) {
        lock.lock();
        try {
            count(new Kind(tenant, sandbox, "refused", port, null, who, reason, address)).more++;
        } finally {
            lock.unlock();
        }
    }

    /// True where one of its kind is on record already, or there are so many that it is counted with others.
    private boolean counted(Kind kind) {
        lock.lock();
        try {
            var count = count(kind);
            if (count.told || !kinds(kind).containsKey(kind)) {
                count.more++;
                return true;
            }
            count.told = true;
            return false;
        } finally {
            lock.unlock();
        }
    }

    private Count count(Kind kind) {
        var kinds = kinds(kind);
        var known = kinds.get(kind);
        var counted = known != null || kinds.size() < KINDS ? kind : kind.crowd();
        return kinds.computeIfAbsent(counted, k -> new Count());
    }

    private Map<Kind, Count> kinds(Kind kind) {
        return sandboxes.computeIfAbsent(kind.sandbox, s -> new LinkedHashMap<>());
    }

    private void forget(Kind kind) {
        lock.lock();
        try {
            kinds(kind).remove(kind);
        } finally {
            lock.unlock();
        }
    }

    private static Entry entry(Kind kind, long count) {
        var open = new LinkedHashMap<String, Object>();
        open.put("port", kind.port);
        open.put("count", count);
        open.put("by", kind.exposure != null ? "exposure" : kind.reason != null ? "nothing" : "open");
        put(open, "exposure", kind.exposure);
        put(open, "reason", kind.reason);
        put(open, "key", kind.who);
        return new Entry(kind.tenant, ACTOR, kind.sandbox, null, "preview", kind.action, open, kind.address == null ? Map.of() : Map.of("address", kind.address), List.of());
    }

    private static void put(Map<String, Object> into, String name, @Nullable Object value) {
        if (value != null) {
            into.put(name, value);
        }
    }

    private void write(List<Entry> entries) {
        store.write(tx -> {
            entries.forEach(entry -> ledger.append(tx, entry));
            return true;
        });
    }

    private void rounds() {
        try {
            while (true) {
                Thread.sleep(ROUND);
                flush(false);
            }
        } catch (InterruptedException closed) {
            // that ends it
        }
    }

    /// Records what was counted: what is told for the first time at once, what was told before when its minute is over. What cannot be recorded now stays counted.
    void flush(boolean all) {
        var due = new LinkedHashMap<Kind, Long>();
        lock.lock();
        try {
            long now = System.nanoTime();
            for (var kinds : sandboxes.values()) {
                kinds.forEach((kind, count) -> {
                    if (count.more > 0 && (all || !count.told || now - count.since > WINDOW)) {
                        due.put(kind, count.more);
                    }
                });
            }
        } finally {
            lock.unlock();
        }
        if (!due.isEmpty()) {
            try {
                var entries = new ArrayList<Entry>();
                due.forEach((kind, count) -> entries.add(entry(kind, count)));
                write(entries);
            } catch (RuntimeException failed) {
                LOG.warn("{} kinds of visits could not be recorded yet: {}", due.size(), failed.getMessage());
                return;
            }
        }
        settle(due, all);
    }

    private void settle(Map<Kind, Long> written, boolean all) {
        lock.lock();
        try {
            long now = System.nanoTime();
            sandboxes.values().forEach(kinds -> kinds.entrySet().removeIf(e -> {
                e.getValue().more -= written.getOrDefault(e.getKey(), 0L);
                e.getValue().told |= written.containsKey(e.getKey());
                return e.getValue().more == 0 && (all || now - e.getValue().since > WINDOW);
            }));
            sandboxes.values().removeIf(Map::isEmpty);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        rounds.interrupt();
        flush(true);
    }
}
