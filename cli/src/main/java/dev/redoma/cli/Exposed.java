// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Exposure;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// What is exposed of a sandbox.
@Command(name = "ports", description = "List what is exposed of a sandbox, and what was until its time was over.")
final class Exposed extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Id or name.")
    String sandbox = "";

    Exposed(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var all = SandboxName.in(client, sandbox).exposures();
        if (json) {
            print(Map.of("items", all));
            return Exit.OK;
        }
        var rows = new ArrayList<List<String>>();
        for (Exposure e : all) {
            rows.add(List.of(e.id(), String.valueOf(e.port()), e.audience(), e.state(), e.expiresAt().toString(), e.createdBy(), Objects.requireNonNullElse(e.url(), String.valueOf(e.pathUrl()))));
        }
        io.bytes(Text.table(List.of("ID", "PORT", "AUDIENCE", "STATE", "UNTIL", "BY", "ADDRESS"), rows).getBytes(StandardCharsets.UTF_8));
        return Exit.OK;
    }
}
