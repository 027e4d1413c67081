// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Exec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Lists the commands of a sandbox.
@Command(name = "ps", description = "List the commands that run in a sandbox, whoever started them through the server.")
final class Ps extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    @Option(names = {"-a", "--all"}, description = "Those that have ended as well.")
    boolean all;

    Ps(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var execs = SandboxName.in(client, sandbox).execs();
        var found = new ArrayList<Exec>();
        (all ? execs.list() : execs.running()).forEach(found::add);
        if (json) {
            print(Map.of("items", found));
            return Exit.OK;
        }
        var rows = found.stream().map(e -> List.of(e.id(), e.pid() == null ? "-" : e.pid().toString(), Text.safe(e.user()), e.exitCode() == null ? e.state() : e.state() + " " + e.exitCode(),
                Text.ago(e.startedAt()), Text.safe(String.join(" ", e.argv())))).toList();
        io.bytes(Text.table(List.of("ID", "PID", "USER", "STATE", "STARTED", "COMMAND"), rows).getBytes(StandardCharsets.UTF_8));
        return Exit.OK;
    }
}
