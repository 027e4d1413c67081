// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Sandbox;
import picocli.CommandLine.Command;

/// Freezes a sandbox and keeps all evidence; operators end it by resume or kill.
@Command(name = "quarantine", description = "Freezes a sandbox and keeps all evidence; operators end it by resume or kill.")
final class Quarantine extends LifeVerb {
    Quarantine(Io io) {
        super(io);
    }

    @Override
    Sandbox act(SandboxHandle box) {
        return box.quarantine();
    }
}
