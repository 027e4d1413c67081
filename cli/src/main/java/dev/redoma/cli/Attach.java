// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.RunningExec;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Joins a command that was started before, by whichever client.
@Command(name = "attach", description = {
    "Follow a command that was started before, from any offset of its output; its exit code is ours.",
    "Ctrl-C leaves it running. A command with a terminal is joined with ours. With --mode one joins beside others, by a grant where it is needed: the owner sees that, and it is on record."},
        subcommands = {AttachGrants.All.class, AttachGrants.Grant.class, AttachGrants.Revoke.class})
final class Attach extends Verb {
    @Option(names = "--offset", paramLabel = "BYTES", description = "Where in the output to begin (default: ${DEFAULT-VALUE}).", defaultValue = "0")
    long offset;

    @Option(names = {"-i", "--stdin"}, description = "Forward stdin, if the command was started with one.")
    boolean stdin;

    @Option(names = "--until-closed", description = "Go on until the last process that holds the command's output is gone.")
    boolean untilClosed;

    @Option(names = "--mode", paramLabel = "read|write", description = "Join beside others: to read, or to type too.")
    @Nullable String mode;

    @Parameters(index = "0", arity = "0..1", paramLabel = "SANDBOX")
    String sandbox = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "EXEC")
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
        if (exec.isEmpty()) {
            throw new Failed(Exit.USAGE, "A sandbox and a command are needed.", "Such as 'redoma attach SANDBOX EXEC'; 'redoma show --execs SANDBOX' lists them. See also 'redoma attach list'.");
        }
        var box = SandboxName.in(client, sandbox);
        if (mode != null) {
            return new AttachJoin(io, box.execs().get(exec), mode(mode)).run(offset);
        }
        var ended = join(box.execs().get(exec), new Foreground(io, box, json, started -> {}));
        return Outcome.told(ended, box, io, json);
    }

    private static boolean mode(String word) {
        if (!word.equals("read") && !word.equals("write")) {
            throw new Failed(Exit.USAGE, "--mode: '" + Text.safe(word) + "' is not known.", "read or write.");
        }
        return word.equals("write");
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
