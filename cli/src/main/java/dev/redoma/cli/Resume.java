// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Sandbox;
import picocli.CommandLine.Command;

/// Lets a paused sandbox go on.
@Command(name = "resume", description = "Lets a paused sandbox go on.")
final class Resume extends LifeVerb {
    Resume(Io io) {
        super(io);
    }

    @Override
    Sandbox act(SandboxHandle box) {
        return box.resume();
    }
}
