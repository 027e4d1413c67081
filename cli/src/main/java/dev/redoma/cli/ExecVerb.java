// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.ClientException;
import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxHandle;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Runs a command in a sandbox that is there.
@Command(name = "exec", description = {
    "Run a command in a sandbox; its output and exit code are ours (124: ended for time; 125: a failure of ours).",
    "With -d it runs on in the background and its id is printed: see 'redoma attach' and 'redoma logs'.",
    "Ctrl-C ends the command."})
final class ExecVerb extends Verb {
    @Option(names = {"-d", "--detach"}, description = "Run in the background and print the exec's id.")
    boolean detach;

    @Option(names = "--label", description = "A label of the exec.")
    @Nullable String label;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Id or name.")
    String sandbox = "";

    @Mixin
    CommandFlags how = new CommandFlags();

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "CMD", description = "The command and its arguments; never a shell string.")
    List<String> words = List.of();

    ExecVerb(Io io) {
        super(io);
    }

    @Override
    boolean carriesExitCode() {
        return true;
    }

    @Override
    int run(RedomaClient client) throws Exception {
        var box = SandboxName.in(client, sandbox);
        var command = label == null ? how.command(words) : how.command(words).label(label);
        if (detach) {
            var exec = box.execs().start(how.stdin ? command.stdin() : command);
            if (json) {
                print(exec.state());
            } else {
                io.line(exec.id());
            }
            return Exit.OK;
        }
        return foreground(box, command);
    }

    private int foreground(SandboxHandle box, dev.redoma.client.Command command) throws java.io.IOException {
        var id = new AtomicReference<@Nullable String>();
        var refused = RefusedSummary.from(box);
        try (var interrupted = new OnInterrupt(() -> end(box, id.get()))) {
            var exec = new Foreground(io, box, json, started -> id.set(started.id())).run(command, how.stdin, how.tty);
            int code = Outcome.told(exec, box, io, json);
            refused.print(io, json);
            return code;
        } catch (Io.OutputGone gone) {
            try {
                end(box, id.get()); // as SIGPIPE would have ended it
            } catch (ClientException ended) {
                gone.addSuppressed(ended);
            }
            throw gone;
        }
    }

    private static void end(SandboxHandle box, @Nullable String exec) {
        if (exec != null) {
            box.execs().get(exec).kill();
        }
    }
}
