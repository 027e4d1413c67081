// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Finding;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/// What this host offers.
@Command(name = "doctor", description = "What was tried on the server's host, what was chosen and why, and the fix for what is missing.")
final class Doctor extends Verb {
    Doctor(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var findings = client.doctor();
        if (json) {
            print(Map.of("findings", findings));
        } else {
            findings.forEach(this::show);
        }
        return code(findings);
    }

    private void show(Finding f) {
        io.line(String.format("%-8s %-10s %-28s %s", f.status(), f.area(), f.name(), Text.safe(f.detail())));
        var fix = f.fix();
        if (fix != null) {
            io.line("         fix: " + Text.safe(fix));
        }
    }

    private static int code(List<Finding> findings) {
        return findings.stream().anyMatch(f -> f.status().equals("missing")) ? Exit.FAILURE : Exit.OK;
    }
}
