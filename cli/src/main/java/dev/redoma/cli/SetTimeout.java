// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Sandbox;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Sets when a sandbox ends.
@Command(name = "set-timeout", description = "The sandbox ends this long from now.")
final class SetTimeout extends LifeVerb {
    @Parameters(index = "1", paramLabel = "TIME", description = "Such as 90s, 30m or 2h.")
    String time = "";

    SetTimeout(Io io) {
        super(io);
    }

    @Override
    Sandbox act(SandboxHandle box) {
        return box.lifetime(Durations.parse("TIME", time));
    }
}
