// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Shows the variables that a sandbox was made with.
@Command(name = "env", description = "Show the variables that create gave to all commands of a sandbox, one a line.")
final class Env extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    Env(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var env = new TreeMap<>(SandboxName.in(client, sandbox).env());
        if (json) {
            print(env);
        } else {
            env.forEach((name, value) -> io.line(Text.safe(name + "=" + value)));
        }
        return Exit.OK;
    }
}
