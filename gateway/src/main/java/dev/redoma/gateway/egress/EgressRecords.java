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
import java.util.concurrent.CompletableFuture;
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
    static final String MANY = "many";
    static final String TOO_MANY = "too-many";
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
    /// What came too many at once to be told one by one: action and `many` (policy refused it) or `too-many` (it did not).
    private final Map<Fact, Times> crowd = new LinkedHashMap<>();
    private final Map<Fact, Sum> closings = new LinkedHashMap<>();
    /// Counted, and refused by the database so far.
    private final List<Fact> unwritten = new ArrayList<>();
    /// By action: what there was no room for among those.
    private final Map<String, Sum> unkept = new LinkedHashMap<>();
    private final Bucket bucket = new Bucket(BURST, PER_SECOND);
    private final Bucket refusals;
    private final RefusalCount refused;
    private final Tally tally;
    private final Bucket paths = new Bucket(PATHS_BURST, PATHS_PER_SECOND);
    /// When what came too many at once and the ends of counted connections were written last.
    private long summed = System.nanoTime();

    private volatile boolean failing;

    /// A fact of which there is a record, or will be one when `durable` is complete (with false: there will be none).
    private static final class Seen {
        private final long since = System.nanoTime();
        private final CompletableFuture<Boolean> durable = new CompletableFuture<>();
        private final Times times = new Times();

        private boolean written() {
            return durable.getNow(false);
        }

        private long again() {
            return times.most() - 1;
        }
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
        this.tally = new Tally(sandbox);
    }

    Tally tally() {
        return tally;
    }

    RefusalCount refusedSoFar() {
        return refused;
    }

    /// What became of a record.
    enum Told {
        WRITTEN, COUNTED,
        /// It is another side of one that was counted.
        TWIN,
        /// Too much at once: nothing was recorded, and nothing must be let out.
        TOO_MANY
    }

    /// Durable, or counted, when it returns; throws where it cannot be recorded.
    void refused(Fact fact) {
        refused(fact, Times.ONE);
    }

    /// `kind`: which of the questions that programs ask of one name; all of them together are one (`Times`).
    void refused(Fact fact, int kind) {
        Told told;
        try {
            told = tell(fact, refusals, kind);
        } catch (RuntimeException unrecorded) {
            later(fact, kind);
            throw unrecorded;
        }
        switch (told) {
            case TOO_MANY -> crowded(fact.action(), TOO_MANY.equals(fact.reason()) ? TOO_MANY : MANY, kind);
            case WRITTEN, COUNTED -> refused.one(fact.action(), fact.reason());
            case TWIN -> { }
        }
        refused.latest(fact);
    }

    /// It was refused, and the database takes no record now: it is counted with its like until it does.
    private void later(Fact fact, int kind) {
        lock.lock();
        try {
            Fact key = crowd.size() < KINDS || crowd.containsKey(fact) ? fact : new Fact(fact.action(), null, null, 0, null, null, MANY, Map.of());
            if (crowd.computeIfAbsent(key, f -> new Times()).more(kind)) {
                refused.one(key.action(), key.reason());
            }
        } finally {
            lock.unlock();
        }
    }

    /// One that policy would have let out, and that is more than there may be at once: it is counted only.
    void overcrowded(String action) {
        crowded(action, TOO_MANY, Times.ONE);
    }

    private void crowded(String action, String reason, int kind) {
        lock.lock();
        try {
            if (crowd.computeIfAbsent(new Fact(action, null, null, 0, null, null, reason, Map.of()), f -> new Times()).more(kind)) {
                refused.one(action, reason);
            }
        } finally {
            lock.unlock();
        }
    }

    /// A request, with its path as long as so many different ones can be told one by one, else without. As `allowed`.
    Told request(Fact whole, Fact bare) {
        lock.lock();
        try {
            Seen before = seen.get(whole);
            if (before != null && before.written()) {
                before.times.more(Times.ONE);
                return Told.COUNTED;
            }
            if (before == null && (seen.size() >= KINDS / 2 || !paths.take())) {
                whole = bare;
            }
        } finally {
            lock.unlock();
        }
        return allowed(whole);
    }

    /// Durable, or counted, when it returns, unless it is too much; throws where it cannot be recorded.
    Told allowed(Fact fact) {
        return tell(fact, null, Times.ONE);
    }

    /// `longRun`: a limit of its own beside the one for all. Of those that are the same at the same time one is written, and the others wait for that and are counted.
    private Told tell(Fact fact, @Nullable Bucket longRun, int kind) {
        var mine = new Seen();
        while (true) {
            Seen before;
            lock.lock();
            try {
                before = seen.get(fact);
                if (before == null) {
                    if (seen.size() >= KINDS || !bucket.take() || longRun != null && !longRun.take()) {
                        return Told.TOO_MANY;
                    }
                    mine.times.more(kind);
                    seen.put(fact, mine);
                    break;
                }
                if (before.written()) {
                    return before.times.more(kind) ? Told.COUNTED : Told.TWIN;
                }
            } finally {
                lock.unlock();
            }
            before.durable.join(); // ends: whoever writes it has an answer of the database
        }
        boolean written = false;
        try {
            write(fact);
            written = true;
        } finally {
            settled(fact, mine, written);
        }
        return Told.WRITTEN;
    }

    private void settled(Fact fact, Seen mine, boolean written) {
        lock.lock();
        try {
            if (!written) {
                seen.remove(fact, mine);
            }
            mine.durable.complete(written);
        } finally {
            lock.unlock();
        }
    }

    /// It was recorded: what is the same is counted from now on.
    void counting(Fact fact) {
        lock.lock();
        try {
            var one = new Seen();
            one.times.more(Times.ONE);
            one.durable.complete(true);
            seen.putIfAbsent(fact, one);
        } finally {
            lock.unlock();
        }
    }

    /// The end of a connection whose beginning was counted.
    void closedToo(Fact fact, long up, long down) {
        lock.lock();
        try {
            Fact key = closings.size() < KINDS || closings.containsKey(fact) ? fact : new Fact(fact.action(), null, null, 0, null, null, MANY, Map.of());
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
        write(facts, tx -> { });
    }

    private void write(List<Fact> facts, java.util.function.Consumer<Handle> also) {
        boolean written = false;
        try {
            store.write(tx -> {
                facts.forEach(fact -> append(tx, fact));
                also.accept(tx);
                return true;
            });
            written = true;
            tally.marked();
        } finally {
            failing = !written;
        }
    }

    /// The database refused the last record: until it takes one again nothing is to leave, not even a question.
    boolean failing() {
        return failing;
    }

    void append(Handle tx, Fact fact) {
        long seq = ledger.append(tx, new Entry(tenant.value(), ACTOR, sandbox.value(), null, CATEGORY, fact.action(), fact.open(), fact.sealed(), List.of()));
        refused.appended(seq);
        tally.mark(tx, seq);
    }

    /// Records what was counted. `all`: also what may still go on being counted.
    void flush(boolean all) {
        var lines = due(all);
        if (!lines.isEmpty()) {
            writeCounted(lines, tx -> { });
        }
    }

    /// The last of it, and with that what was counted itself. Where it throws it can be called again.
    void settle(int unended) {
        var lines = due(true);
        if (!tally.isOver() && (tally.isMarked() || !lines.isEmpty())) {
            writeCounted(lines, tx -> tally.settle(tx, refused.here(), unended));
        }
    }

    private List<Fact> due(boolean all) {
        var lines = new ArrayList<Fact>();
        lock.lock();
        try {
            long now = System.nanoTime();
            seen.entrySet().removeIf(e -> {
                Seen one = e.getValue();
                boolean due = one.written() && (all || now - one.since > WINDOW);
                if (due && one.again() > 0) {
                    lines.add(e.getKey().with("again", one.again()));
                }
                return due;
            });
            if (all || now - summed > SUMS) {
                summed = now;
                crowd.forEach((fact, times) -> lines.add(fact.with("again", times.most())));
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
        return lines;
    }

    void writeCounted(List<Fact> lines, java.util.function.Consumer<Handle> also) {
        try {
            write(lines, also);
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
