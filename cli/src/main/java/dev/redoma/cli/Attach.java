// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.RunningExec;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Joins a command that was started before, by whichever client.
@Command(name = "attach", description = {
    "Follow a command that was started before, from any offset of its output; its exit code is ours.",
    "Ctrl-C leaves it running. A command with a terminal is joined with ours."})
final class Attach extends Verb {
    @Option(names = "--offset", paramLabel = "BYTES", description = "Where in the output to begin (default: ${DEFAULT-VALUE}).", defaultValue = "0")
    long offset;

    @Option(names = {"-i", "--stdin"}, description = "Forward stdin, if the command was started with one.")
    boolean stdin;

    @Option(names = "--until-closed", description = "Go on until the last process that holds the command's output is gone.")
    boolean untilClosed;

    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    @Parameters(index = "1", paramLabel = "EXEC")
    String exec = "";

    Attach(Io io) {
        super(io);
    }

    @Override
    boolean carriesExitCode() {
        return true;
    }

    @Override
    int run(RedomaClient client) throws Exception {
        var box = SandboxName.in(client, sandbox);
        var ended = join(box.execs().get(exec), new Foreground(io, box, json, started -> {}));
        return Outcome.told(ended, box, io, json);
    }

    private Exec join(RunningExec running, Foreground foreground) throws IOException {
        if (running.state().tty() != null && Io.terminal(0) && Io.terminal(1)) {
            try (var here = LocalTerminal.open()) {
                return new TerminalBridge(io, here, running).run(offset);
            }
        }
        if (stdin) {
            foreground.forward(running);
        }
        var sink = new Events(io, json, started -> {});
        return untilClosed ? running.followUntilClosed(offset, sink) : running.follow(offset, sink);
    }
}
