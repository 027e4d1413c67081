// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Sandbox;
import picocli.CommandLine.Command;

/// Freezes a sandbox: memory stays, nothing runs.
@Command(name = "pause", description = "Freezes a sandbox: memory stays, nothing runs.")
final class Pause extends LifeVerb {
    Pause(Io io) {
        super(io);
    }

    @Override
    Sandbox act(SandboxHandle box) {
        return box.pause();
    }
}
