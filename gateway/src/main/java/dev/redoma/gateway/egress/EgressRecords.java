// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.store.Store;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The record of what left a sandbox and what was refused. The first of its kind is durable before the gateway goes on; what repeats within a few seconds is
/// counted and recorded with its number. Beyond a rate of new kinds, refusals are counted together and nothing more is let out. Nothing of another
/// sandbox is touched by it. Thread-safe.
final class EgressRecords {
    private static final String CATEGORY = "egress";
    private static final String ACTOR = "gateway";
    private static final long WINDOW = TimeUnit.SECONDS.toNanos(10);
    private static final long SUMS = TimeUnit.SECONDS.toNanos(5);
    private static final int KINDS = 512;
    private static final int MOST_UNWRITTEN = 4 * KINDS;
    private static final String UNKEPT = "unkept";
    private static final int BURST = 300;
    private static final double PER_SECOND = 50;
    /// Of paths of requests: fewer, so that they leave room for what else is to be told.
    private static final int PATHS_BURST = 150;
    private static final double PATHS_PER_SECOND = 20;
    /// Of refusals, in the long run: whoever is refused pays nothing for it, and its records are kept.
    private static final int REFUSALS_BURST = 2000;
    private static final double REFUSALS_PER_SECOND = 2;

    private final Store store;
    private final Ledger ledger;
    private final TenantId tenant;
    private final SandboxId sandbox;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Fact, Seen> seen = new LinkedHashMap<>();
    /// By action: refusals that came too many at once to be told one by one.
    private final Map<String, Long> crowd = new LinkedHashMap<>();
    private final Map<Fact, Sum> closings = new LinkedHashMap<>();
    /// Counted, and refused by the database so far.
    private final List<Fact> unwritten = new ArrayList<>();
    /// By action: what there was no room for among those.
    private final Map<String, Sum> unkept = new LinkedHashMap<>();
    private final Bucket bucket = new Bucket(BURST, PER_SECOND);
    private final Bucket refusals;
    private final RefusalCount refused;
    private final Bucket paths = new Bucket(PATHS_BURST, PATHS_PER_SECOND);
    /// When what came too many at once and the ends of counted connections were written last.
    private long summed = System.nanoTime();

    private volatile boolean failing;

    private static final class Seen {
        private final long since = System.nanoTime();
        private long again;
    }

    private record Sum(long count, long up, long down) {
        static Sum of(Fact fact) {
            return new Sum(number(fact, "again", 1), number(fact, "up", 0), number(fact, "down", 0));
        }

        private static long number(Fact fact, String key, long otherwise) {
            return fact.more().get(key) instanceof Number n ? n.longValue() : otherwise;
        }

        Sum plus(Sum other) {
            return new Sum(count + other.count, up + other.up, down + other.down);
        }

        Fact told(Fact fact) {
            Fact counted = fact.with("again", count);
            return up + down == 0 ? counted : counted.with("up", up).with("down", down);
        }
    }

    EgressRecords(Store store, Ledger ledger, TenantId tenant, SandboxId sandbox) {
        this(store, ledger, tenant, sandbox, new Bucket(REFUSALS_BURST, REFUSALS_PER_SECOND));
    }

    EgressRecords(Store store, Ledger ledger, TenantId tenant, SandboxId sandbox, Bucket refusals) {
        this.refusals = refusals;
        this.store = store;
        this.ledger = ledger;
        this.tenant = tenant;
        this.sandbox = sandbox;
        this.refused = new RefusalCount(ledger, tenant, sandbox);
    }

    RefusalCount refusedSoFar() {
        return refused;
    }

    /// What became of a record.
    enum Told {
        WRITTEN, COUNTED,
        /// Too much at once: nothing was recorded, and nothing must be let out.
        TOO_MANY
    }

    /// Durable, or counted, when it returns; throws where it cannot be recorded.
    void refused(Fact fact) {
        if (tell(fact, refusals) == Told.TOO_MANY) {
            crowded(fact.action());
        } else {
            refused.one(fact.action(), fact.reason());
        }
        refused.latest(fact);
    }

    /// One more refusal that is counted only.
    void crowded(String action) {
        lock.lock();
        try {
            crowd.merge(action, 1L, Long::sum);
            refused.one(action, "many");
        } finally {
            lock.unlock();
        }
    }

    /// A request, with its path as long as so many different ones can be told one by one, else without. As `allowed`.
    Told request(Fact whole, Fact bare) {
        lock.lock();
        try {
            Seen before = seen.get(whole);
            if (before != null) {
                before.again++;
                return Told.COUNTED;
            }
            if (seen.size() >= KINDS / 2 || !paths.take()) {
                whole = bare;
            }
        } finally {
            lock.unlock();
        }
        return allowed(whole);
    }

    /// Durable, or counted, when it returns, unless it is too much; throws where it cannot be recorded.
    Told allowed(Fact fact) {
        return tell(fact, null);
    }

    /// `longRun`: a limit of its own beside the one for all.
    private Told tell(Fact fact, @Nullable Bucket longRun) {
        lock.lock();
        try {
            Seen before = seen.get(fact);
            if (before != null) {
                before.again++;
                return Told.COUNTED;
            }
            if (seen.size() >= KINDS || !bucket.take() || longRun != null && !longRun.take()) {
                return Told.TOO_MANY;
            }
        } finally {
            lock.unlock();
        }
        write(fact);
        counting(fact);
        return Told.WRITTEN;
    }

    /// It was recorded: what is the same is counted from now on.
    void counting(Fact fact) {
        lock.lock();
        try {
            seen.putIfAbsent(fact, new Seen());
        } finally {
            lock.unlock();
        }
    }

    /// The end of a connection whose beginning was counted.
    void closedToo(Fact fact, long up, long down) {
        lock.lock();
        try {
            Fact key = closings.size() < KINDS || closings.containsKey(fact) ? fact : new Fact(fact.action(), null, null, 0, null, null, "many", Map.of());
            closings.merge(key, new Sum(1, up, down), Sum::plus);
        } finally {
            lock.unlock();
        }
    }

    /// For a commit that has more in it than this record. False: it must not be let out.
    boolean mayRecord() {
        lock.lock();
        try {
            return bucket.take();
        } finally {
            lock.unlock();
        }
    }

    /// The end of a connection. Where it cannot be recorded now it is later.
    void closed(Fact fact) {
        try {
            write(fact);
        } catch (RuntimeException failed) {
            keep(List.of(fact));
            throw failed;
        }
    }

    private void write(Fact fact) {
        write(List.of(fact));
    }

    private void write(List<Fact> facts) {
        boolean written = false;
        try {
            store.write(tx -> {
                facts.forEach(fact -> append(tx, fact));
                return true;
            });
            written = true;
        } finally {
            failing = !written;
        }
    }

    /// The database refused the last record: until it takes one again nothing is to leave, not even a question.
    boolean failing() {
        return failing;
    }

    void append(Handle tx, Fact fact) {
        refused.appended(ledger.append(tx, new Entry(tenant.value(), ACTOR, sandbox.value(), null, CATEGORY, fact.action(), fact.open(), fact.sealed(), List.of())));
    }

    /// Records what was counted. `all`: also what may still go on being counted.
    void flush(boolean all) {
        var lines = new ArrayList<Fact>();
        lock.lock();
        try {
            long now = System.nanoTime();
            seen.entrySet().removeIf(e -> {
                boolean due = all || now - e.getValue().since > WINDOW;
                if (due && e.getValue().again > 0) {
                    lines.add(e.getKey().with("again", e.getValue().again));
                }
                return due;
            });
            if (all || now - summed > SUMS) {
                summed = now;
                crowd.forEach((action, n) -> lines.add(new Fact(action, null, null, 0, null, null, "many", Map.of("again", n))));
                crowd.clear();
                closings.forEach((fact, sum) -> lines.add(fact.with("again", sum.count()).with("up", sum.up()).with("down", sum.down())));
                closings.clear();
            }
            lines.addAll(unwritten);
            unwritten.clear();
            unkept.forEach((action, sum) -> lines.add(sum.told(new Fact(action, null, null, 0, null, null, UNKEPT, Map.of()))));
            unkept.clear();
        } finally {
            lock.unlock();
        }
        if (!lines.isEmpty()) {
            writeCounted(lines);
        }
    }

    private void writeCounted(List<Fact> lines) {
        try {
            write(lines);
        } catch (RuntimeException failed) {
            keep(lines);
            throw failed;
        }
    }

    /// For the next round. Of what there is no room for, kinds and numbers are kept.
    private void keep(List<Fact> facts) {
        lock.lock();
        try {
            for (Fact fact : facts) {
                if (UNKEPT.equals(fact.reason()) || unwritten.size() >= MOST_UNWRITTEN) {
                    unkept.merge(fact.action(), Sum.of(fact), Sum::plus);
                } else {
                    unwritten.add(fact);
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
