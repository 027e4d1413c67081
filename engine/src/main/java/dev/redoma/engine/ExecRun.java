// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Exec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// One exec in memory, from its request until its end was recorded and its output is closed. Thread-safe.
final class ExecRun {
    private static final long GO_WITHIN_SECONDS = 10;
    private static final long RECORDED_WITHIN_SECONDS = 60;

    private final ExecFacts facts;
    private final Live live;
    private final MaskedOutput output;
    private final Spool spool;
    private final Live.Busy busy;
    private final InputTally input = new InputTally();
    private final AtomicBoolean resting = new AtomicBoolean();
    private final CompletableFuture<Boolean> recorded = new CompletableFuture<>();
    private final CompletableFuture<Boolean> durable = new CompletableFuture<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean admitted;
    private boolean started;
    private boolean recovered;
    private @Nullable Integer pid;
    private long boot;
    private @Nullable Problem refusal;
    private boolean timedOut;
    private boolean killed;
    private boolean claimed;
    private @Nullable ExecOutcome outcome;
    private boolean outputClosed;
    private @Nullable Problem abandoned;

    private volatile Instance.@Nullable ExecGroup group;
    private volatile @Nullable GuestOp op;
    private volatile @Nullable String gone;
    private volatile long heard = System.nanoTime();
    private volatile boolean persisted;
    private volatile Runnable afterwards = () -> {};

    ExecRun(ExecFacts facts, Live live, MaskedOutput output) {
        this.facts = facts;
        this.live = live;
        this.output = output;
        this.spool = output.spool();
        var label = facts.spec().label();
        // What the template starts by itself runs as long as the sandbox does: it would never be idle.
        this.busy = label != null && label.startsWith(StartCommand.OURS) ? () -> {} : live.busy();
    }

    /// One that an earlier server started; `ended` if its exit was recorded and only output is still to come.
    static ExecRun recovered(ExecRows.Unfinished row, Live live, MaskedOutput output) {
        var run = new ExecRun(row.facts(), live, output);
        var spool = output.spool();
        run.admitted = true;
        run.recovered = true;
        run.group = live.instance().group(row.facts().id()).orElse(null);
        run.pid = row.seen().pid();
        run.persisted = run.pid != null;
        run.approve();
        if (row.ended()) {
            run.publish(row.outcome(), row.exitOffset() == null ? spool.kept() : row.exitOffset(), false);
        }
        return run;
    }

    ExecFacts facts() {
        return facts;
    }

    Live live() {
        return live;
    }

    Spool spool() {
        return spool;
    }

    MaskedOutput output() {
        return output;
    }

    InputTally input() {
        return input;
    }

    /// An earlier server started it: what went in before is not known here.
    boolean recovered() {
        return recovered;
    }

    Instance.@Nullable ExecGroup group() {
        return group;
    }

    // ---- start

    /// The record of its request is durable: its program may begin.
    void approve() {
        recorded.complete(true);
        durable.complete(true);
    }

    /// There will be no such record. Without effect once there is one.
    void deny() {
        recorded.complete(false);
        durable.complete(false);
    }

    /// Waits until it is clear whether there is a record of its request.
    boolean recorded() {
        try {
            return recorded.get(RECORDED_WITHIN_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return recorded.getNow(false);
        }
    }

    /// The forked child has dialled: into its cgroup with it, and go, once the record is durable.
    boolean admit(int hostPid) throws InterruptedException {
        try {
            group = live.instance().adopt(facts.id(), hostPid);
            boolean approved = durable.get(GO_WITHIN_SECONDS, TimeUnit.SECONDS);
            return locked(() -> {
                admitted = approved && refusal == null && !killed && !timedOut;
                changed.signalAll();
                return admitted;
            });
        } catch (ExecutionException | TimeoutException e) {
            return false;
        } catch (dev.redoma.model.RedomaException e) {
            refuse(e.problem());
            return false;
        }
    }

    void started(int insidePid, long guestBoot) {
        locked(() -> {
            started = true;
            pid = insidePid;
            boot = guestBoot;
            changed.signalAll();
            return true;
        });
    }

    /// It did not start, and why. The first reason counts.
    void refuse(Problem why) {
        locked(() -> {
            refusal = refusal == null ? why : refusal;
            changed.signalAll();
            return true;
        });
    }

    /// True if its program was not let go, and now never will be: then whoever starts it is told why.
    boolean refuseUnlessBegun(String reason) {
        return locked(() -> {
            boolean early = !admitted && !recovered && !claimed;
            if (early) {
                refuse(GuestErrors.unreachable("The command did not start: " + reason + "."));
                hangUp();
            }
            return early;
        });
    }

    /// Its program was let go, whatever the guest says of it.
    boolean begun() {
        return locked(() -> admitted && refusal == null);
    }

    /// What the guest says of an end is then no end of the command.
    boolean neverBegan() {
        return locked(() -> !admitted && !killed && !timedOut && !claimed);
    }

    /// Waits until it runs or has ended; throws what kept it from starting.
    void awaitStarted(Duration atMost) throws InterruptedException {
        boolean known = await(() -> started && admitted || outcome != null || refusal != null || abandoned != null, atMost);
        var why = locked(() -> refusal != null ? refusal : abandoned);
        if (why != null) {
            throw why.raise();
        }
        if (!known) {
            throw GuestErrors.unreachable("The guest did not start the command within " + Amounts.time(atMost) + ".").raise();
        }
    }

    // ---- end

    /// Marks it as ended by us for time; false if it has ended, or is being killed already.
    boolean expire() {
        return locked(() -> {
            timedOut |= !claimed && !killed;
            return timedOut && !claimed;
        });
    }

    boolean markKilled() {
        return locked(() -> {
            killed |= !claimed && !timedOut;
            return !claimed;
        });
    }

    /// True for the one that is to record the end.
    boolean claim() {
        return locked(() -> {
            boolean mine = !claimed;
            claimed = true;
            return mine;
        });
    }

    boolean timedOut() {
        return locked(() -> timedOut);
    }

    boolean killed() {
        return locked(() -> killed);
    }

    /// The end is durable: everybody may know. `exitOffset`: the output that there was by then; `closed`: no output will follow.
    void publish(ExecOutcome end, long exitOffset, boolean closed) {
        rest(); // before anybody knows: who has seen the end finds the sandbox at rest
        locked(() -> {
            claimed = true;
            outcome = end;
            outputClosed = closed;
            changed.signalAll();
            return true;
        });
        spool.exitedAt(exitOffset); // only now: whoever comes to it asks for the outcome
        if (closed) {
            spool.close();
        }
        afterwards.run();
    }

    /// It keeps the sandbox busy no more.
    void rest() {
        if (resting.compareAndSet(false, true)) {
            busy.close();
        }
    }

    /// Runs when the end has been published; set once, right after the start.
    void onEnd(Runnable action) {
        afterwards = action;
        if (ended()) {
            action.run();
        }
    }

    /// The server stops: whoever waits is told so; the exec itself goes on.
    void abandon(Problem why) {
        locked(() -> {
            abandoned = why;
            changed.signalAll();
            return true;
        });
        spool.abandon(why);
        rest();
        hangUp();
    }

    boolean over() {
        return locked(() -> outcome != null || abandoned != null);
    }

    boolean abandoned() {
        return locked(() -> abandoned != null);
    }

    boolean ended() {
        return locked(() -> outcome != null);
    }

    boolean awaitEnd(Duration atMost) throws InterruptedException {
        boolean over = await(() -> outcome != null || abandoned != null, atMost);
        if (abandoned()) {
            throw Problem.of(Code.STOPPING, "The server is stopping; the command runs on.", "Ask again when it is back.").raise();
        }
        return over;
    }

    // ---- the connection

    void connected(GuestOp connection) {
        op = connection;
        heard();
    }

    void heard() {
        heard = System.nanoTime();
    }

    Duration silence() {
        return Duration.ofNanos(System.nanoTime() - heard);
    }

    @Nullable GuestOp connection() {
        return op;
    }

    void hangUp() {
        var open = op;
        if (open != null) {
            open.close();
        }
    }

    void gone(String reason) {
        gone = reason;
        durable.complete(false);
        locked(() -> {
            changed.signalAll();
            return true;
        });
    }

    @Nullable String gone() {
        return gone;
    }

    /// True once: when its row should be told that it runs.
    boolean toPersist() {
        boolean due = !persisted && locked(() -> started && admitted && !claimed);
        persisted |= due;
        return due;
    }

    int pid() {
        return locked(() -> pid == null ? 0 : pid);
    }

    long boot() {
        return boot;
    }

    Exec view() {
        return locked(() -> outcome == null
                ? ExecView.running(facts, started && admitted, pid, spool)
                : ExecView.ended(facts, pid, outcome, spool, outputClosed));
    }

    private boolean await(java.util.function.BooleanSupplier condition, Duration atMost) throws InterruptedException {
        long nanos = atMost.toNanos();
        lock.lockInterruptibly();
        try {
            while (!condition.getAsBoolean()) {
                if (nanos <= 0) {
                    return false;
                }
                nanos = changed.awaitNanos(nanos);
            }
            return true;
        } finally {
            lock.unlock();
        }
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
