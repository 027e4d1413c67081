// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.ExposePort;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Lets a port be reached from outside.
@Command(name = "expose", description = {"Let a port of a sandbox be reached from outside, for a time.", "The token is told this once: by header 'Redoma-Preview-Token', or in an address that a browser opens."})
final class Expose extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Id or name.")
    String sandbox = "";

    @Parameters(index = "1", paramLabel = "PORT", description = "On which the app listens.")
    int port;

    @Option(names = "--audience", paramLabel = "WHO", description = "token (default): whoever has the token. tenant: whoever shows a key of the tenant. public: anybody.")
    @Nullable String audience;

    @Option(names = "--for", paramLabel = "TIME", description = "Such as 15m or 8h; 1h where nothing is said.")
    @Nullable String time;

    Expose(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var made = SandboxName.in(client, sandbox).expose(new ExposePort(port, audience, time == null ? null : Durations.parse("--for", time).toMillis()));
        if (json) {
            print(made);
            return Exit.OK;
        }
        io.line("port " + made.port() + " is exposed to the audience " + made.audience() + " until " + made.expiresAt() + " (" + made.id() + ")");
        if (made.token() != null) {
            io.line("token: " + made.token());
        }
        if (made.url() != null) {
            io.line("in a browser: " + made.url() + (made.token() == null ? "" : "?redoma-preview-token=" + made.token()));
        }
        io.line("by path: " + made.pathUrl());
        return Exit.OK;
    }
}
