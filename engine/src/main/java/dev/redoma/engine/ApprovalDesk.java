// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.ApprovalRow.State;
import dev.redoma.model.ApprovalId;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.Approval;
import dev.redoma.store.Store;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Where things wait for humans. The database is the queue: each change of a request is one transaction with its record, one after another, so that two who decide, a decision and the end of the time, two who use the same approval
/// never both win. Who waits in memory is only woken by it. Thread-safe.
final class ApprovalDesk {
    /// What a sandbox left may be applied after its end.
    static final String APPLY = "apply";
    static final int LARGEST = 64 << 10;
    private static final int OF_A_KEY = 64;
    private static final int OF_A_TENANT = 512;
    private static final Duration KEPT = Duration.ofDays(30);

    private final Store store;
    private final ApprovalRecords records;
    private final ApprovalBinding binding;
    private final Approvals.Settings settings;
    private final Clock clock;
    private final ApprovalWaiters waiters = new ApprovalWaiters();
    private final Map<String, Instant> deadlines = new ConcurrentHashMap<>();

    ApprovalDesk(Store store, ApprovalRecords records, ApprovalBinding binding, Approvals.Settings settings, Clock clock) {
        this.store = store;
        this.records = records;
        this.binding = binding;
        this.settings = settings;
        this.clock = clock;
    }

    /// What waited when the server ended waits on; who hears of requests hears of these again.
    void recover() {
        store.read(ApprovalRows::open).forEach(row -> {
            deadlines.put(row.id().value(), row.deadline());
            if (row.state() == State.PENDING) {
                tell(row);
            }
        });
        sweep();
    }

    /// Returns when it may happen; `approval-pending` where nobody decided within the hold, `approval-denied` where somebody did.
    ApprovalTicket require(ApprovalAsk ask) {
        return require(ask, settings.hold());
    }

    ApprovalTicket require(ApprovalAsk ask, Duration hold) {
        if (Columns.json(ask.shown()).length() > LARGEST) {
            throw Problem.of(Code.PAYLOAD_TOO_LARGE, "This needs approval, and it is more than a human can be shown (" + LARGEST + " characters).", "Ask for less at a time.").with("limit", LARGEST).raise();
        }
        var row = asked(ask);
        long end = System.nanoTime() + hold.toNanos();
        while (true) {
            var change = waiters.change(row.id());
            row = current(row.id());
            if (row.state() != State.PENDING) {
                waiters.settled(row.id(), change);
                return ticket(row);
            }
            var left = Duration.ofNanos(end - System.nanoTime());
            if (waiters.closed() || !left.isPositive()) {
                throw ApprovalRefusal.pending(row);
            }
            stay(change, left, row);
        }
    }

    private void stay(CompletableFuture<Boolean> change, Duration left, ApprovalRow row) {
        var until = Duration.between(clock.instant(), row.deadline());
        try {
            if (!waiters.await(change, until.compareTo(left) < 0 ? until : left)) {
                expire(row.id());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApprovalRefusal.pending(row);
        }
    }

    /// How many calls wait for a decision at this moment.
    int held() {
        return waiters.held();
    }

    private ApprovalRow current(ApprovalId id) {
        return store.read(tx -> ApprovalRows.find(tx, id.value())).orElseThrow(() -> ApprovalRefusal.notFound(id.value()));
    }

    /// The request that is there for exactly this, or a new one.
    private ApprovalRow asked(ApprovalAsk ask) {
        byte[] bound = binding.of(ask);
        record Found(ApprovalRow row, boolean fresh, @Nullable ApprovalRow expired) {}
        var found = store.write(tx -> {
            var now = now();
            var before = ApprovalRows.same(tx, ask.caller().key(), bound).orElse(null);
            if (before != null && !before.over(now)) {
                return new Found(before, false, null);
            }
            var over = before != null && before.state() != State.DENIED ? expired(tx, before) : null;
            var fresh = fresh(tx, ask, now);
            ApprovalRows.insert(tx, fresh, bound);
            records.asked(tx, fresh);
            return new Found(fresh, true, over);
        });
        if (found.fresh()) {
            deadlines.put(found.row().id().value(), found.row().deadline());
            tell(found.row());
        }
        if (found.expired() != null) {
            settled(current(found.expired().id()));
        }
        return found.row();
    }

    private ApprovalRow fresh(Handle tx, ApprovalAsk ask, Instant now) {
        var key = ask.caller().key();
        bounded(ApprovalRows.pending(tx, ask.tenant().value(), key), OF_A_KEY, "key");
        bounded(ApprovalRows.pending(tx, ask.tenant().value(), null), OF_A_TENANT, "tenant");
        boolean outlives = ask.kind().equals(APPLY);
        var sandbox = SandboxRows.find(tx, ask.sandbox().value()).filter(s -> outlives || s.state() != dev.redoma.engine.State.ENDED && s.target() != Target.KILL);
        if (sandbox.isEmpty()) {
            throw Problem.of(Code.SANDBOX_ENDED, "The sandbox has ended.", "Make a new one.").raise();
        }
        return new ApprovalRow(ApprovalId.mint(), ask.tenant().value(), ask.sandbox().value(), ask.kind(), State.PENDING, ask.shown(), ask.needed().rules(), ask.needed().by(), ask.needed().within(), key,
                requester(key), now, now.plus(ask.needed().within()), null, null);
    }

    /// The person whose key asks; of a program's key who made it, or the key that made it, and so on.
    private @Nullable String requester(String asking) {
        var seen = new HashSet<String>();
        for (var key = Optional.of(asking); key.isPresent() && seen.add(key.get()); key = settings.persons().issuer(key.get())) {
            var person = settings.persons().person(key.get());
            if (person.isPresent()) {
                return person.get();
            }
        }
        return null;
    }

    private static void bounded(long pending, int most, String whose) {
        if (pending >= most) {
            throw Problem.of(Code.QUOTA_EXCEEDED, "This " + whose + " has " + most + " requests that wait for approval.", "Wait until some are decided.").with("limit", most).with("inUse", pending).raise();
        }
    }

    private ApprovalTicket ticket(ApprovalRow row) {
        return switch (row.state()) {
            case APPROVED -> new Approved(row);
            case DENIED -> throw ApprovalRefusal.denied(row, store.read(tx -> ApprovalRows.decisions(tx, row.id())).stream().filter(d -> d.verdict().equals("deny")).map(Approval.Decision::reason).findFirst().orElse(null));
            case EXPIRED -> throw ApprovalRefusal.denied(row, null);
            case CANCELLED -> throw ApprovalRefusal.cancelled(row);
            case REDEEMED, PENDING -> throw ApprovalRefusal.used(row);
        };
    }

    private final class Approved implements ApprovalTicket {
        private final ApprovalRow row;

        Approved(ApprovalRow row) {
            this.row = row;
        }

        @Override
        public void redeem(Handle tx, @Nullable String exec) {
            if (!ApprovalRows.redeem(tx, row.id(), exec, now())) {
                throw ApprovalRefusal.used(row);
            }
            records.redeemed(tx, row, exec);
        }

        @Override
        public Optional<String> approval() {
            return Optional.of(row.id().value());
        }
    }

    /// One person's word, who may say it.
    Approval decide(ApprovalId id, Approval.Decision word) {
        record Said(ApprovalRow row, @Nullable RedomaException refusal) {}
        var said = store.write(tx -> {
            var row = ApprovalRows.find(tx, id.value()).orElseThrow(() -> ApprovalRefusal.notFound(id.value()));
            if (row.state() == State.PENDING && row.over(now())) {
                row = expired(tx, row);
            }
            if (row.state() != State.PENDING) {
                return new Said(row, ApprovalRefusal.over(row));
            }
            var before = ApprovalRows.decisions(tx, id);
            if (before.stream().anyMatch(d -> d.person().equals(word.person()))) {
                return new Said(row, ApprovalRefusal.twice());
            }
            ApprovalRows.decision(tx, id, word);
            boolean denied = word.verdict().equals("deny");
            int voices = 1 + (int) before.stream().filter(d -> settings.persons().decides(d.person())).count();
            if (denied || voices >= row.needed()) {
                var deadline = denied ? row.deadline() : now().plus(row.within());
                ApprovalRows.move(tx, row, State.PENDING, denied ? State.DENIED : State.APPROVED, deadline);
            }
            records.decided(tx, row, word, voices);
            return new Said(ApprovalRows.find(tx, id.value()).orElseThrow(), null);
        });
        if (said.refusal() == null || said.row().state() == State.EXPIRED) {
            settled(said.row());
        }
        if (said.refusal() != null) {
            throw said.refusal();
        }
        return view(said.row());
    }

    /// Whether it waits for a decision, or has one that is not used, that what this sandbox changed is applied.
    boolean asksToApply(SandboxId sandbox) {
        return store.read(tx -> ApprovalRows.openOf(tx, sandbox.value())).stream().anyMatch(row -> row.kind().equals(APPLY));
    }

    private void settled(ApprovalRow row) {
        if (row.state() == State.APPROVED) {
            deadlines.put(row.id().value(), row.deadline());
        } else if (row.state() != State.PENDING) {
            deadlines.remove(row.id().value());
        }
        tell(row);
        waiters.wake(row.id());
    }

    /// Nobody approved it, or nobody used it, in time.
    private ApprovalRow expired(Handle tx, ApprovalRow row) {
        if (ApprovalRows.move(tx, row, row.state(), State.EXPIRED, null)) {
            records.closed(tx, row, row.state() == State.PENDING ? "expired" : "lapsed");
        }
        return ApprovalRows.find(tx, row.id().value()).orElseThrow();
    }

    private void expire(ApprovalId id) {
        var after = store.write(tx -> ApprovalRows.find(tx, id.value()).map(row -> (row.state() == State.PENDING || row.state() == State.APPROVED) && row.over(now()) ? expired(tx, row) : row));
        after.filter(row -> row.state() == State.EXPIRED).ifPresent(this::settled);
    }

    /// Ends what is over.
    void sweep() {
        var now = now();
        deadlines.entrySet().stream().filter(e -> !now.isBefore(e.getValue())).map(Map.Entry::copyOf).toList().forEach(e -> {
            expire(new ApprovalId(e.getKey()));
            deadlines.remove(e.getKey(), e.getValue());
        });
    }

    /// In the transaction with which a sandbox ends: nothing of it waits any longer. What is returned is for `ended`, after it.
    List<ApprovalRow> ending(Handle tx, SandboxId sandbox) {
        var rows = ApprovalRows.openOf(tx, sandbox.value()).stream().filter(row -> !row.kind().equals(APPLY)).toList();
        rows.forEach(row -> {
            ApprovalRows.move(tx, row, row.state(), State.CANCELLED, null);
            records.closed(tx, row, "cancelled");
        });
        return rows;
    }

    void ended(List<ApprovalRow> rows) {
        rows.forEach(row -> settled(current(row.id())));
    }

    Approval view(ApprovalRow row) {
        return row.view(store.read(tx -> ApprovalRows.decisions(tx, row.id())));
    }

    List<Approval> list(@Nullable String tenant, boolean open, @Nullable String sandbox, int limit) {
        return store.read(tx -> ApprovalRows.list(tx, tenant, open, sandbox, limit).stream().map(row -> row.view(ApprovalRows.decisions(tx, row.id()))).toList());
    }

    /// By id or name.
    SandboxId sandbox(Caller caller, String sandbox) {
        return store.read(tx -> Access.visible(tx, caller, sandbox)).id();
    }

    Optional<ApprovalRow> find(String id) {
        return store.read(tx -> ApprovalRows.find(tx, id));
    }

    void forgetOld() {
        store.write(tx -> ApprovalRows.forget(tx, now().minus(KEPT)));
    }

    private void tell(ApprovalRow row) {
        settings.told().accept(view(row));
    }

    Approvals.Persons persons() {
        return settings.persons();
    }

    Duration egressHold() {
        return settings.egressHold();
    }

    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /// Who waits is told that it is pending: the request itself waits on.
    void close() {
        waiters.close();
    }
}
