// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Change;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Shows what a sandbox changed.
@Command(name = "diff", description = {
    "Show what differs from the template: A added, M changed, D deleted, m mode only.",
    "What acts by itself when a human opens it is flagged in brackets."})
final class Diff extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    Diff(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var changes = SandboxName.in(client, sandbox).changes();
        if (json) {
            print(Map.of("items", changes));
        } else {
            changes.forEach(change -> io.line(line(change)));
        }
        return Exit.OK;
    }

    private static String line(Change change) {
        var target = change.target();
        return ChangeSummary.letter(change.kind()) + " " + Text.safe(change.path()) + (target == null ? "" : " -> " + Text.safe(target))
                + (change.flags().isEmpty() ? "" : "  [" + String.join(", ", change.flags()) + "]");
    }
}
