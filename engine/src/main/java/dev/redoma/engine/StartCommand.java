// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.Connect;
import dev.redoma.engine.proto.Request;
import dev.redoma.model.Amounts;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.ExecSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a template starts in its sandboxes by itself, each time that they start: its start command, for whose readiness is waited, else the
/// entry point and command of an image, whose end is no failure. They are ordinary execs with labels that only we give, and do not keep a
/// sandbox from being idle. Called under the box's lock; stateless.
final class StartCommand {
    static final String OURS = "redoma.";
    private static final String START = "redoma.start";
    private static final String READY = "redoma.ready";
    private static final String ENTRY = "redoma.entrypoint";
    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final Duration PORT = Duration.ofSeconds(2);
    private static final long CHECK_MS = 30_000;

    private final Core core;

    StartCommand(Core core) {
        this.core = core;
    }

    /// Returns when the sandbox is ready, or throws START_FAILED; the caller ends the instance then.
    void begin(Box box, LiveBox live, SandboxRow row, String actor) {
        var caller = new Caller(actor, row.tenant(), Set.of(Scope.EXEC));
        TemplateConfig config = live.config();
        if (config.start() != null) {
            started(box, live, caller, config.start());
        } else {
            entry(live, caller, config);
        }
    }

    private void entry(LiveBox live, Caller caller, TemplateConfig config) {
        var argv = new ArrayList<String>(config.entrypoint() == null ? List.of() : config.entrypoint());
        argv.addAll(config.cmd() == null ? List.of() : config.cmd());
        if (argv.isEmpty() || argv.getFirst().isEmpty()) {
            return;
        }
        try {
            core.execs().begin(caller, live, spec(argv, ENTRY, null));
        } catch (RedomaException notStarted) {
            core.log().add(live.id(), "the image's entry point was not started: " + notStarted.getMessage());
        }
    }

    private static ExecSpec spec(List<String> argv, String label, @Nullable Long timeoutMs) {
        return new ExecSpec(argv, null, null, null, null, false, timeoutMs, null, label);
    }

    private void started(Box box, LiveBox live, Caller caller, TemplateConfig.Start start) {
        ExecRun run = core.execs().begin(caller, live, spec(start.command(), START, null));
        TemplateConfig.Ready ready = start.ready();
        if (ready == null) {
            return;
        }
        long end = System.nanoTime() + Duration.ofMillis(ready.timeoutMs()).toNanos();
        Duration pause = FIRST;
        try {
            while (!isReady(live, caller, ready, end)) {
                if (box.isUnwanted()) {
                    throw Problem.of(Code.SANDBOX_ENDED, "The sandbox was ended while it started.", "Make a new one.").with("reason", "killed").raise();
                }
                if (run.awaitEnd(pause)) {
                    throw failed(run, "ended before it was ready (" + StepFailure.how(run.view()) + ")");
                }
                if (System.nanoTime() > end) {
                    throw failed(run, "was not ready within " + Amounts.time(ready.timeoutMs()));
                }
                pause = pause.multipliedBy(2).compareTo(LONGEST) > 0 ? LONGEST : pause.multipliedBy(2);
            }
            core.log().add(live.id(), "ready");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The server is stopping.", "Try again in a few seconds.").raise();
        }
    }

    private boolean isReady(LiveBox live, Caller caller, TemplateConfig.Ready ready, long end) throws InterruptedException {
        if (ready.port() != null) {
            return answers(live, ready.port());
        }
        if (ready.command() == null) {
            return true;
        }
        long left = Math.clamp((end - System.nanoTime()) / 1_000_000, 1, CHECK_MS);
        ExecRun check = core.execs().begin(caller, live, spec(ready.command(), READY, left));
        check.awaitEnd(Duration.ofMillis(left).plusSeconds(10));
        Integer code = check.view().exitCode();
        return code != null && code == 0;
    }

    private static boolean answers(LiveBox live, int port) {
        var connect = Request.newBuilder().setConnect(Connect.newBuilder().setPort(port));
        try (GuestOp op = live.guest().open(connect.build(), PORT)) {
            op.answer(PORT, "port " + port);
            return true;
        } catch (RedomaException notYet) {
            return false;
        }
    }

    private static RedomaException failed(ExecRun run, String how) {
        var exec = run.view();
        var problem = Problem.of(Code.START_FAILED, "The template's start command " + how + ".", "See its output; correct the template, or its 'ready'.")
                .with("sandbox", exec.sandbox()).with("exec", exec.id()).with("command", String.join(" ", exec.argv())).with("output", BuildLog.lastLines(run.spool()));
        return (exec.exitCode() == null ? problem : problem.with("exitCode", exec.exitCode())).raise();
    }
}
