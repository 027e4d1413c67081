// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Exec;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A sandbox's own output, or the engine's words about it.
@Command(name = "logs", description = {
    "Print what the commands of a sandbox printed, byte for byte: of all of them in turn, or of one.",
    "--system: the engine's and guest's own messages instead (operators)."})
final class Logs extends Verb {
    @Option(names = "--system", description = "The engine's messages about the sandbox.")
    boolean system;

    @Option(names = {"-f", "--follow"}, description = "Wait for more, until the commands end.")
    boolean follow;

    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "EXEC")
    @Nullable String exec;

    Logs(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var box = SandboxName.in(client, sandbox);
        if (system) {
            system(box);
        } else if (exec != null) {
            one(box, exec);
        } else {
            for (Exec each : box.execs().list()) {
                one(box, each.id());
            }
        }
        return Exit.OK;
    }

    private void system(SandboxHandle box) {
        var lines = box.systemLog();
        if (json) {
            print(Map.of("lines", lines));
        } else {
            lines.forEach(line -> io.line(Text.safe(line)));
        }
    }

    private void one(SandboxHandle box, String id) {
        var sink = new Events(io, json, started -> {});
        var running = box.execs().get(id);
        var end = follow ? running.follow(0, sink) : running.printed(0, sink);
        if (json) {
            Events.line(io, end.state(), Map.of("exec", end));
        }
    }
}
