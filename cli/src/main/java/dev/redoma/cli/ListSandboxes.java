// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxFilter;
import dev.redoma.model.wire.Sandbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Lists sandboxes.
@Command(name = "list", description = "List sandboxes, without those that ended unless asked for by --state.")
final class ListSandboxes extends Verb {
    @Option(names = "--state", description = "Only in this state; repeatable.")
    List<String> states = List.of();

    @Option(names = "--label", paramLabel = "NAME=VALUE", description = "Only with this label; repeatable, all must match.")
    Map<String, String> labels = Map.of();

    @Option(names = "--name", description = "Only of this name.")
    @Nullable String name;

    @Option(names = {"-q", "--quiet"}, description = "Ids only.")
    boolean quiet;

    ListSandboxes(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var all = new ArrayList<Sandbox>();
        client.list(new SandboxFilter(states, labels, name)).forEach(all::add);
        if (json) {
            print(Map.of("items", all));
        } else if (quiet) {
            all.forEach(box -> io.line(box.id()));
        } else {
            table(all);
        }
        return Exit.OK;
    }

    private void table(List<Sandbox> all) {
        var rows = new ArrayList<List<String>>();
        for (var box : all) {
            rows.add(List.of(box.id(), Text.or(box.name()), box.state(), box.template().name(), box.isolation().tier(),
                    Text.ago(box.createdAt()), Text.until(box.endsAt())));
        }
        io.bytes(Text.table(List.of("ID", "NAME", "STATE", "TEMPLATE", "TIER", "CREATED", "ENDS"), rows)
                .getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
