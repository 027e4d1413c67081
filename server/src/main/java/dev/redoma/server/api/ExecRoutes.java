// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Attachments;
import dev.redoma.engine.Execs;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Tty;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// Commands in a sandbox.
final class ExecRoutes {
    private static final String ALL = "/v1/sandboxes/{id}/execs";
    private static final String ONE = "/v1/sandboxes/{id}/execs/{exec}";
    private static final Duration STEP = Duration.ofSeconds(1);

    private final Execs execs;
    private final OutputAnswer output;
    private final Terminals terminals;
    private final long largest;

    ExecRoutes(Execs execs, Attachments attachments, long largest) {
        this.execs = execs;
        this.output = new OutputAnswer(execs);
        this.terminals = new Terminals(execs, attachments);
        this.largest = largest;
    }

    /// Body of `POST …/signal`.
    public record Signal(int signal) {}

    /// Answer of `POST …/signal`.
    public record Delivered(boolean delivered) {}

    /// Answer of `DELETE …`.
    public record Killed(boolean killed) {}

    List<Operation> operations() {
        return List.of(
                post(ALL, "startExec", "Starts a command; with Accept: " + OutputAnswer.FRAMES + " the answer is its output").needs(Scope.EXEC)
                        .takes(ExecSpec.class).answers(201, Exec.class).answersBytes(200, OutputAnswer.FRAMES, OutputAnswer.EVENTS).by(this::start),
                get(ALL, "listExecs", "Commands of a sandbox, newest last").needs(Scope.READ).query("limit", "integer", "1 to 200")
                        .query("cursor", "string", "from the page before").query("running", "boolean", "only those that have not ended, all of them")
                        .answersPage(Exec.class)
                        .by(c -> c.json(c.query().flag("running", false) ? new Page<>(execs.running(c.caller(), c.sandbox()), null) : execs.list(c.caller(), c.sandbox(), c.query().get("cursor"), (int) c.query().number("limit", 50, 1, 200)))),
                get(ONE, "getExec", "One command, if asked after its end").needs(Scope.READ).query("waitMs", "integer", "wait that long for the exit, at most 600000")
                        .answers(200, Exec.class).by(this::one),
                get(ONE + "/output", "getOutput", "Its output from an offset").needs(Scope.READ).query("offset", "integer", "first byte")
                        .query("follow", "boolean", "wait for more until it ends (default true)")
                        .query("untilClosed", "boolean", "go on after its exit while others hold its output open")
                        .answersBytes(200, OutputAnswer.FRAMES, OutputAnswer.EVENTS).by(this::output),
                post(ONE + "/stdin", "writeStdin", "Bytes for its standard input").needs(Scope.EXEC).query("close", "boolean", "close it after them")
                        .takes("application/octet-stream").answersNothing().by(this::stdin),
                post(ONE + "/resize", "resizeExec", "A new size of its terminal").needs(Scope.EXEC).takes(Tty.class).answersNothing().by(c -> {
                    execs.resize(c.caller(), c.sandbox(), c.parameter("exec"), c.http().json(Tty.class));
                    c.http().nothing();
                }),
                post(ONE + "/signal", "signalExec", "A signal to its process group").needs(Scope.EXEC).takes(Signal.class).answers(200, Delivered.class)
                        .by(this::signal),
                delete(ONE, "killExec", "Ends its whole tree").needs(Scope.EXEC).answers(200, Killed.class)
                        .by(c -> c.json(new Killed(execs.kill(c.caller(), c.sandbox(), c.parameter("exec"))))),
                get(ONE + "/terminal", "attachTerminal", "WebSocket to its terminal, or to what it prints and reads; by a grant for who may not use the sandbox (scope read, to write exec)")
                        .query("offset", "integer", "first byte of output").query("mode", "string", "write (default) or read")
                        .answersBytes(101).by(terminals::attach));
    }

    private void start(Call call) throws Exception {
        var spec = call.http().json(ExecSpec.class);
        var exec = execs.start(call.caller(), call.sandbox(), spec);
        if (OutputAnswer.wanted(call)) {
            output.send(call, exec, 0, true, false);
        } else {
            call.http().set("Location", "/v1/sandboxes/" + exec.sandbox() + "/execs/" + exec.id()).json(201, exec);
        }
    }

    /// In steps, so that a revoked key or a stopping server is seen.
    private void one(Call call) throws IOException {
        long until = System.nanoTime() + Duration.ofMillis(call.query().number("waitMs", 0, 0, 600_000)).toNanos();
        var exec = execs.get(call.caller(), call.sandbox(), call.parameter("exec"));
        while (!ended(exec) && System.nanoTime() < until) {
            call.guard().check();
            var step = Duration.ofNanos(Math.min(STEP.toNanos(), Math.max(1, until - System.nanoTime())));
            exec = execs.await(call.caller(), call.sandbox(), exec.id(), step);
        }
        call.json(exec);
    }

    static boolean ended(Exec exec) {
        return exec.state().equals("exited") || exec.state().equals("lost");
    }

    private void output(Call call) throws Exception {
        var exec = execs.get(call.caller(), call.sandbox(), call.parameter("exec"));
        var query = call.query();
        output.send(call, exec, query.number("offset", 0, 0, Long.MAX_VALUE), query.flag("follow", true), query.flag("untilClosed", false));
    }

    private void stdin(Call call) throws IOException {
        var body = new GuardedInput(call.http().body(largest), call.guard());
        execs.stdin(call.caller(), call.sandbox(), call.parameter("exec"), body, call.query().flag("close", false));
        call.http().nothing();
    }

    private void signal(Call call) throws IOException {
        int signal = call.http().json(Signal.class).signal();
        if (signal < 1 || signal > 64) {
            throw Problem.field("signal", signal + " is no signal", "a number from 1 to 64");
        }
        call.json(new Delivered(execs.signal(call.caller(), call.sandbox(), call.parameter("exec"), signal)));
    }
}
