// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Sandbox;
import picocli.CommandLine.Parameters;

/// A verb that changes the state of one sandbox.
abstract class LifeVerb extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Id or name.")
    String sandbox = "";

    LifeVerb(Io io) {
        super(io);
    }

    abstract Sandbox act(SandboxHandle box);

    @Override
    int run(RedomaClient client) {
        var after = act(SandboxName.in(client, sandbox));
        if (json) {
            print(after);
        } else {
            io.line(after.id() + " " + after.state());
        }
        return Exit.OK;
    }
}
