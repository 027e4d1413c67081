// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Sandbox;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Freezes a sandbox and keeps all evidence; operators end it by resume or kill.
@Command(name = "quarantine", description = "Freezes a sandbox and keeps all evidence; operators end it by resume or kill.")
final class Quarantine extends LifeVerb {
    @Option(names = {"-m", "--reason"}, description = "Why; it goes on record.")
    @Nullable String reason;

    Quarantine(Io io) {
        super(io);
    }

    @Override
    Sandbox act(SandboxHandle box) {
        return box.quarantine(reason);
    }
}
