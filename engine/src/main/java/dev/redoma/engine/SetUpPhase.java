// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.policy.PolicyStack;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// A policy's `setup`: its commands, one after the other as the user of commands, while the sandbox is being made and nobody else can run anything in it. They have an egress of their own, which is cut with
/// all its connections before this returns. Called under the box's lock; stateless.
final class SetUpPhase {
    private static final String LABEL = StartCommand.OURS + "setup";
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final int SHOWN = 500;

    private final Core core;

    SetUpPhase(Core core) {
        this.core = core;
    }

    /// Throws SETUP_FAILED where a command does not end well; the caller ends the instance then.
    void run(Box box, LiveBox live, SandboxRow row, PolicyStack stack, String actor) {
        var setUp = stack.setUp();
        if (setUp.isEmpty()) {
            return;
        }
        long begun = System.nanoTime();
        long end = begun + core.config().times().workspace().toNanos();
        try {
            core.uplink().connect(core.handover(), live, row, stack.inSetUp().effective(0));
            List<String> commands = setUp.get().run();
            for (int i = 0; i < commands.size(); i++) {
                command(box, live, row, actor, new Step(i + 1, commands.size(), commands.get(i)), end);
            }
        } finally {
            core.uplink().cut(row.id());
        }
        core.store().write(tx -> {
            core.records().setUp(tx, row, setUp.get().run(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun), actor);
            return true;
        });
    }

    private record Step(int number, int of, String command) {
        String shown() {
            return (command.length() > SHOWN ? command.substring(0, SHOWN) + "…" : command).replaceAll("\\p{Cntrl}", "?");
        }
    }

    private void command(Box box, LiveBox live, SandboxRow row, String actor, Step step, long end) {
        long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
        var caller = new Caller(actor, row.tenant(), Set.of(Scope.EXEC));
        long before = refused(row).map(Network.Refused::all).orElse(0L);
        ExecRun run = core.execs().begin(caller, live, new ExecSpec(List.of("/bin/sh", "-c", step.command()), null, null, null, null, false, left, null, LABEL));
        try {
            while (!run.awaitEnd(LOOK)) {
                if (box.isUnwanted()) {
                    throw Problem.of(Code.SANDBOX_ENDED, "The sandbox was ended while it was set up.", "Make a new one.").with("reason", "killed").raise();
                }
                if (System.nanoTime() > end + Duration.ofSeconds(30).toNanos()) {
                    throw failed(run, row, step, before);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The server is stopping.", "Try again in a few seconds.").raise();
        }
        Exec exec = run.view();
        if (exec.exitCode() == null || exec.exitCode() != 0) {
            throw failed(run, row, step, before);
        }
    }

    private Optional<Network.Refused> refused(SandboxRow row) {
        return core.uplink().refused(row.id());
    }

    private RedomaException failed(ExecRun run, SandboxRow row, Step step, long before) {
        Exec exec = run.view();
        var latest = refused(row).filter(now -> now.all() > before).map(Network.Refused::latest);
        String meanwhile = latest.map(l -> " Meanwhile its egress (setup.egress) refused " + (l.host() == null ? l.address() : l.host()) + (l.port() == 0 ? "" : " port " + l.port()) + " (" + l.reason() + ").").orElse("");
        var problem = Problem.of(Code.SETUP_FAILED, "Command " + step.number() + " of " + step.of() + " of the policy's set-up failed, " + StepFailure.how(exec) + ": " + step.shown() + "." + meanwhile,
                        "See its last lines. All of a set-up has the time of times.workspace.")
                .at(dev.redoma.model.Layer.COMMAND).with("command", step.shown()).with("step", step.number()).with("steps", step.of()).with("output", BuildLog.lastLines(run.spool()));
        problem = exec.exitCode() == null ? problem : problem.with("exitCode", exec.exitCode());
        if (latest.isPresent()) {
            var l = latest.get();
            problem = problem.with("refused", l.host() == null ? String.valueOf(l.address()) : l.host()).with("rule", String.valueOf(l.rule()));
        }
        return problem.raise();
    }
}
