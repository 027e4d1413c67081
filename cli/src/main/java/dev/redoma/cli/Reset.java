// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Sandbox;
import picocli.CommandLine.Command;

/// Puts the disk of a sandbox back to its template.
@Command(name = "reset", description = "Puts the disk of a sandbox back to its template.")
final class Reset extends LifeVerb {
    Reset(Io io) {
        super(io);
    }

    @Override
    Sandbox act(SandboxHandle box) {
        return box.reset();
    }
}
