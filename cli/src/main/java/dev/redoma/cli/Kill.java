// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Sandbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Ends sandboxes.
@Command(name = "kill", description = "End sandboxes: the named ones, or (operators) all of a tenant or of the installation.")
final class Kill extends Verb {
    @Option(names = "--tenant", description = "Every sandbox of this tenant.")
    @Nullable String tenant;

    @Option(names = "--all", description = "Every sandbox of the installation.")
    boolean all;

    @Option(names = {"-m", "--reason"}, description = "With --tenant or --all: why; it goes on record.")
    @Nullable String reason;

    @Parameters(arity = "0..*", paramLabel = "SANDBOX")
    List<String> sandboxes = List.of();

    Kill(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        int ways = (sandboxes.isEmpty() ? 0 : 1) + (tenant == null ? 0 : 1) + (all ? 1 : 0);
        if (ways != 1) {
            throw new Failed(Exit.USAGE, "Say which: sandboxes by id or name, or --tenant, or --all.", "See 'redoma kill --help'.");
        }
        if (reason != null && !sandboxes.isEmpty()) {
            throw new Failed(Exit.USAGE, "--reason goes with --tenant or --all.", "Leave it out.");
        }
        return sandboxes.isEmpty() ? many(client) : named(client);
    }

    private int many(RedomaClient client) {
        long ended = client.killAll(tenant, reason);
        if (json) {
            print(Map.of("ended", ended));
        } else {
            io.line(ended + " ended");
        }
        return Exit.OK;
    }

    private int named(RedomaClient client) {
        var ended = new ArrayList<Sandbox>();
        for (var sandbox : sandboxes) {
            var box = SandboxName.in(client, sandbox).kill();
            ended.add(box);
            if (!json) {
                io.line(box.id() + " " + box.state());
            }
        }
        if (json) {
            print(Map.of("items", ended));
        }
        return Exit.OK;
    }
}
