// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Sandbox;
import picocli.CommandLine.Command;

/// Starts a stopped sandbox from its disk.
@Command(name = "start", description = "Starts a stopped sandbox from its disk.")
final class Start extends LifeVerb {
    Start(Io io) {
        super(io);
    }

    @Override
    Sandbox act(SandboxHandle box) {
        return box.start();
    }
}
