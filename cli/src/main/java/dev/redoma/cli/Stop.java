// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Sandbox;
import picocli.CommandLine.Command;

/// Ends the processes of a sandbox; its disk stays.
@Command(name = "stop", description = "Ends the processes of a sandbox; its disk stays.")
final class Stop extends LifeVerb {
    Stop(Io io) {
        super(io);
    }

    @Override
    Sandbox act(SandboxHandle box) {
        return box.stop();
    }
}
