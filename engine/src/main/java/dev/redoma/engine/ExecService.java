// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.ExecId;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Tty;
import dev.redoma.store.Store;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Commands: from the request and its record to the recorded end. Each has a thread of its own; callers only look on. That is a platform
/// thread, kept for the next one: it writes files, which would pin a carrier, and is woken by the kernel itself, which
/// saves two hops on the way of every command.
final class ExecService implements Execs, ExecLifecycle, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecService.class);
    private static final int PER_SANDBOX = 256;
    private static final int IN_ALL = 2048;

    private final LiveBoxes boxes;
    private final Store store;
    private final Clock clock;
    private final ExecLog log;
    private final ExecActs acts;
    private final ExecEnding ending;
    private final ExecKiller killer;
    private final ExecTimer timer;
    private final ExecRuns runs = new ExecRuns(PER_SANDBOX, IN_ALL);
    private final ExecWatch watch;
    private final ExecutorService pumps;
    private final Spools spools;
    private final ExecGate gate;
    private final ExecRecovery recovery;
    private final ExecMasks masks;

    /// That knows tokens by their shape alone.
    ExecService(LiveBoxes boxes, Store store, Ledger ledger, Path data, long outputBudget, Clock clock) {
        this(boxes, store, ledger, data, outputBudget, (caller, live, order) -> ApprovalTicket.NONE, clock, Masking.SHAPES);
    }

    /// `data`: the directory below which output is kept, of each sandbox about `outputBudget` bytes. `masking`: what is masked of each sandbox.
    ExecService(LiveBoxes boxes, Store store, Ledger ledger, Path data, long outputBudget, ExecGate gate, Clock clock, Masking masking) {
        this.gate = gate;
        this.boxes = boxes;
        this.store = store;
        this.clock = clock;
        this.log = new ExecLog(ledger);
        this.acts = new ExecActs(store, log);
        this.masks = new ExecMasks(masking, store, log);
        this.ending = new ExecEnding(store, log, clock);
        this.killer = new ExecKiller(ending);
        this.timer = new ExecTimer(killer);
        this.watch = new ExecWatch(runs, ending, store);
        this.spools = new Spools(data, outputBudget);
        this.recovery = new ExecRecovery(store, spools, ending, this::takeOver, masks::output);
        this.pumps = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("redoma-exec-", 0).factory());
        watch.start();
    }

    @Override
    public Exec start(Caller caller, String sandbox, ExecSpec spec) {
        caller.need(Scope.EXEC);
        if (spec.label() != null && spec.label().startsWith(StartCommand.OURS)) {
            throw Problem.field("label", "begins with '" + StartCommand.OURS + "', as only the server's own do", "another");
        }
        var live = boxes.used(caller, sandbox);
        try (var busy = live.busy()) {
            var order = ExecOrder.of(spec, live);
            return begin(caller, live, order, gate.pass(caller, live, order)).view();
        }
    }

    @Override
    public ExecRun begin(Caller caller, Live live, ExecSpec spec) {
        return begin(caller, live, ExecOrder.of(spec, live), ApprovalTicket.NONE);
    }

    private ExecRun begin(Caller caller, Live live, ExecOrder order, ApprovalTicket ticket) {
        runs.reserve(live.id());
        var facts = facts(caller, live, order);
        var run = new ExecRun(facts, live, masks.output(facts, spools.fresh(facts)));
        runs.add(run);
        pumps.execute(() -> pump(run, p -> p.begin(order.request(run.facts().id(), live), () -> record(run, order, ticket))));
        begun(run);
        return run;
    }

    private ExecFacts facts(Caller caller, Live live, ExecOrder order) {
        var now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        var timeout = order.spec().timeoutMs();
        var deadline = timeout == null ? null : now.plusMillis(timeout);
        return new ExecFacts(ExecId.mint(), live.id(), live.version(), live.tenant().value(), caller.key(), masks.kept(live.id(), order.kept()), masks.word(live.id(), order.cwd()), order.user(), now, deadline);
    }

    /// The guest forks meanwhile, but nothing of the user's runs before this is durable.
    private void record(ExecRun run, ExecOrder order, ApprovalTicket ticket) {
        try {
            store.write(tx -> {
                ExecRows.insert(tx, run.facts());
                ticket.redeem(tx, run.facts().id().value());
                log.begin(tx, run.facts(), order, ticket.approval());
                return true;
            });
            run.approve();
        } catch (RuntimeException e) {
            run.deny();
            run.refuse(e instanceof RedomaException known ? known.problem()
                    : Problem.of(Code.RECORD_FAILED, "The command was not recorded, so it was not started.", "Try again."));
            run.hangUp();
            throw e;
        }
    }

    private void begun(ExecRun run) {
        try {
            run.awaitStarted(ExecPump.REACH);
            timer.arm(run);
        } catch (RedomaException e) {
            killer.abort(run);
            if (!run.abandoned() && run.recorded() && run.claim()) {
                ending.refused(run, e.problem());
            }
            throw masks.masked(run.facts().sandbox(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted();
        }
    }

    private void pump(ExecRun run, java.util.function.Consumer<ExecPump> work) {
        try {
            work.accept(new ExecPump(run, ending));
        } finally {
            run.deny();
            run.rest();
            runs.remove(run);
            if (!run.abandoned()) {
                watch.release(run);
                makeRoom(run);
            }
        }
    }

    /// First the rows, then the files: none claims output that is gone.
    private void makeRoom(ExecRun run) {
        var sandbox = run.facts().sandbox();
        try {
            for (var old : spools.settle(run.facts(), run.spool().kept(), id -> runs.find(sandbox, id.value()) != null)) {
                store.write(tx -> {
                    ExecRows.outputRemoved(tx, old);
                    return true;
                });
                runs.forget(old);
                spools.delete(sandbox, old);
            }
        } catch (RedomaException e) {
            LOG.warn("output of {} is kept beyond its budget: {}", sandbox, e.getMessage());
        }
    }

    private void takeOver(ExecRun run) {
        runs.admit(run.facts().sandbox());
        runs.add(run);
        timer.rearm(run, clock.instant());
        pumps.execute(() -> pump(run, ExecPump::resume));
    }

    @Override
    public Exec get(Caller caller, String sandbox, String exec) {
        var id = visible(caller, sandbox);
        var run = runs.recall(id, exec);
        return run == null ? row(id, exec) : run.view();
    }

    private SandboxId visible(Caller caller, String sandbox) {
        if (!caller.scopes().contains(Scope.EXEC)) {
            caller.need(Scope.READ);
        }
        return boxes.visible(caller, sandbox);
    }

    private Exec row(SandboxId sandbox, String exec) {
        return store.read(h -> ExecRows.find(h, sandbox, exec)).orElseThrow(() -> Problem.of(
                        Code.EXEC_NOT_FOUND, "This sandbox has no exec '" + GuestErrors.clean(exec) + "'.", "List its execs.").raise());
    }

    @Override
    public Page<Exec> list(Caller caller, String sandbox, @Nullable String cursor, int limit) {
        var id = visible(caller, sandbox);
        var from = ExecCursor.parse(cursor);
        if (limit < 1 || limit > 200) {
            throw Problem.field("limit", limit + " is out of range", "1 to 200");
        }
        var rows = store.read(h -> ExecRows.page(h, id, from.micros(), from.id(), limit + 1));
        var items = rows.stream().limit(limit).map(row -> present(id, row)).toList();
        return new Page<>(items, rows.size() > limit ? ExecCursor.after(items.getLast()) : null);
    }

    @Override
    public List<Exec> running(Caller caller, String sandbox) {
        var id = visible(caller, sandbox);
        return runs.of(id).stream().filter(run -> run.recorded() && !run.ended()).map(ExecRun::view).sorted(Comparator.comparing(Exec::startedAt)).toList();
    }

    private Exec present(SandboxId sandbox, Exec row) {
        var run = runs.find(sandbox, row.id());
        return run == null ? row : run.view();
    }

    @Override
    public Exec await(Caller caller, String sandbox, String exec, Duration atMost) {
        var id = visible(caller, sandbox);
        var run = runs.recall(id, exec);
        if (run == null) {
            return row(id, exec);
        }
        try {
            run.awaitEnd(atMost);
            return run.view();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted();
        }
    }

    private static RedomaException interrupted() {
        return Problem.of(Code.STOPPING, "The wait was broken off; the command runs on.", "Ask again.").raise();
    }

    @Override
    public Output output(Caller caller, String sandbox, String exec, long offset, boolean follow, boolean untilClosed) {
        if (offset < 0) {
            throw Problem.field("offset", offset + " is negative", "0 or more");
        }
        var id = visible(caller, sandbox);
        var run = runs.recall(id, exec);
        if (run != null) {
            return run.spool().reader(offset, follow, untilClosed);
        }
        var row = row(id, exec);
        return spools.finished(row, store.read(h -> ExecRows.exitOffset(h, new ExecId(row.id()))), offset, untilClosed);
    }

    @Override
    public void stdin(Caller caller, String sandbox, String exec, InputStream data, boolean close) throws IOException {
        var run = running(caller, sandbox, exec);
        if (!run.facts().stdin()) {
            throw state("This command was started without stdin.", "Start it with stdin: true.", run);
        }
        acts.input(run, caller);
        ExecStdin.send(run, caller.key(), data, close);
    }

    @Override
    public void resize(Caller caller, String sandbox, String exec, Tty size) {
        ExecOrder.tty("size", size);
        var run = running(caller, sandbox, exec);
        if (run.facts().spec().tty() == null) {
            throw state("This command has no terminal.", "Start it with tty.", run);
        }
        ExecStdin.resize(run, size);
    }

    @Override
    public boolean signal(Caller caller, String sandbox, String exec, int signal) {
        if (signal < 1 || signal > 64) {
            throw Problem.field("signal", signal + " is no signal", "1 to 64");
        }
        caller.need(Scope.EXEC);
        var id = boxes.endable(caller, sandbox);
        var run = runs.find(id, exec);
        if (run == null) {
            row(id, exec);
            return false;
        }
        if (run.ended()) {
            return false;
        }
        acts.signal(run, caller, signal);
        return ExecStdin.signal(run, signal);
    }

    @Override
    public boolean kill(Caller caller, String sandbox, String exec) {
        caller.need(Scope.EXEC);
        var id = boxes.endable(caller, sandbox);
        var run = runs.find(id, exec);
        if (run == null) {
            return killLeftBehind(caller, id, row(id, exec));
        }
        acts.kill(run, caller);
        return killer.kill(run);
    }

    /// The command has ended and its output is closed, but what it left behind may live.
    private boolean killLeftBehind(Caller caller, SandboxId sandbox, Exec exec) {
        var live = boxes.live(sandbox);
        var group = live.flatMap(l -> l.instance().group(new ExecId(exec.id()))).filter(Instance.ExecGroup::populated);
        group.ifPresent(left -> {
            acts.killLeftBehind(live.orElseThrow(), exec.id(), caller);
            left.kill();
        });
        return group.isPresent();
    }

    private ExecRun running(Caller caller, String sandbox, String exec) {
        caller.need(Scope.EXEC);
        var live = boxes.running(caller, sandbox);
        var run = runs.find(live.id(), exec);
        if (run == null || run.ended()) {
            var seen = run == null ? row(live.id(), exec) : run.view();
            throw Problem.of(Code.WRONG_STATE, "This command has ended.", "Start another.").with("state", seen.state()).raise();
        }
        live.touch();
        return run;
    }

    private static RedomaException state(String what, String remedy, ExecRun run) {
        return Problem.of(Code.WRONG_STATE, what, remedy).with("state", run.view().state()).raise();
    }

    // ---- what the lifecycle tells

    @Override
    public void recovered(Live live) {
        recovery.recover(live);
    }

    @Override
    public void gone(SandboxId sandbox, String reason) {
        var here = runs.of(sandbox);
        here.forEach(run -> run.gone(reason));
        long end = System.nanoTime() + ExecPump.REACH.toNanos() / 2;
        for (var run : here) {
            if (!run.refuseUnlessBegun(reason)) {
                settle(run, reason, end);
            }
        }
        recovery.lose(sandbox, reason, id -> here.stream().anyMatch(run -> run.facts().id().equals(id)) || runs.find(sandbox, id.value()) != null);
    }

    /// What the guest had sent before it went is still read, as long as it comes soon.
    private void settle(ExecRun run, String reason, long end) {
        try {
            if (!run.awaitEnd(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
                ending.lost(run, reason);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ending.lost(run, reason);
        } finally {
            run.hangUp();
        }
    }

    @Override
    public void forget(SandboxId sandbox) {
        runs.forget(sandbox);
        spools.forget(sandbox);
    }

    /// Leaves all commands running, for the next server.
    @Override
    public void close() {
        timer.close();
        watch.close();
        var why = Problem.of(Code.STOPPING, "The server is stopping; the command runs on.", "Ask again when it is back.");
        acts.stopping(List.copyOf(runs.all()));
        List.copyOf(runs.all()).forEach(run -> run.abandon(why));
        pumps.shutdown();
    }
}
