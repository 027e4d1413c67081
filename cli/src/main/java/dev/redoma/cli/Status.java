// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxFilter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.TreeMap;
import picocli.CommandLine.Command;

/// Shows how the server is.
@Command(name = "status", description = "Show how the server is: address, version, isolation, sandboxes by state.")
final class Status extends Verb {
    Status(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var info = client.info();
        var states = new TreeMap<String, Integer>();
        client.list(SandboxFilter.ALIVE).forEach(box -> states.merge(box.state(), 1, Integer::sum));
        if (json) {
            var all = new LinkedHashMap<String, Object>();
            all.put("url", client.server().toString());
            all.put("server", info);
            all.put("sandboxes", states);
            print(all);
            return Exit.OK;
        }
        var facts = new Facts().line("server", client.server()).line("version", info.version()).line("installation", info.installation())
                .line("isolation", info.tier()).line("sandboxes", states.isEmpty() ? "none" : states);
        info.findings().stream().filter(f -> !f.status().equals("ok"))
                .forEach(f -> facts.line(f.status() + ": " + f.name(), f.detail() + (f.fix() == null ? "" : "; fix: " + f.fix())));
        io.bytes(facts.text().getBytes(StandardCharsets.UTF_8));
        return Exit.OK;
    }
}
