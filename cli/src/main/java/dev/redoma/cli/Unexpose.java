// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Ends what is exposed.
@Command(name = "unexpose", description = "End what is exposed of a sandbox; open connections are closed when this returns.")
final class Unexpose extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Id or name.")
    String sandbox = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "PORT|ID", description = "All of a port, or one by its id.")
    @Nullable String which;

    @Option(names = "--all", description = "All of the sandbox.")
    boolean all;

    Unexpose(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var named = which;
        if (all == (named != null)) {
            throw new Failed(Exit.USAGE, all ? "a port or id is there with --all." : "it is not said what to end.", "Name a port or an id, or say --all.");
        }
        var box = SandboxName.in(client, sandbox);
        int ended = 1;
        if (named != null && named.matches("pv[a-z0-9]{18}")) {
            box.revoke(named);
        } else if (named == null || named.matches("[0-9]{1,5}")) {
            ended = box.revokePort(named == null ? null : Integer.valueOf(named));
        } else {
            throw new Failed(Exit.USAGE, "'" + Text.safe(named) + "' is neither a port nor the id of something exposed.", "See 'redoma ports'.");
        }
        if (json) {
            print(Map.of("revoked", ended));
        } else {
            io.line("ended: " + ended);
        }
        return Exit.OK;
    }
}
