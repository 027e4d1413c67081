// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Cache;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Caches of package tools.
@Command(name = "cache", description = "Keep the caches of package tools for a tenant and template.", subcommands = {
    CacheGroup.All.class, CacheGroup.Promote.class, CacheGroup.Clear.class})
final class CacheGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "list", description = "List caches.")
    static final class All extends Verb {
        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var all = client.caches().list();
            if (json) {
                print(Map.of("items", all));
                return Exit.OK;
            }
            var rows = new ArrayList<List<String>>();
            for (Cache c : all) {
                rows.add(List.of(c.name(), c.template(), c.tenant(), Text.size(c.usedBytes()), Text.size(c.sizeBytes()), Text.ago(c.createdAt()), c.createdBy()));
            }
            io.bytes(Text.table(List.of("NAME", "TEMPLATE", "TENANT", "USED", "QUOTA", "PROMOTED", "BY"), rows).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "promote", description = {"Make a sandbox's copy the cache that later sandboxes get copies of (operators).",
        "What the sandbox wrote there will be in each of them: promote only what you would install yourself."})
    static final class Promote extends Verb {
        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        @Parameters(index = "1", paramLabel = "NAME", description = "Such as pip or npm.")
        String name = "";

        Promote(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var made = client.caches().promote(sandbox, name);
            if (json) {
                print(made);
            }
            return Exit.OK;
        }
    }

    @Command(name = "clear", description = "Remove caches; copies that sandboxes have stay with them.")
    static final class Clear extends Verb {
        @Option(names = "--template", description = "Only of this template.")
        @Nullable String template;

        @Option(names = "--name", description = "Only of this tool.")
        @Nullable String name;

        Clear(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            int cleared = client.caches().clear(template, name);
            if (json) {
                print(Map.of("cleared", cleared));
            } else {
                io.line("caches removed: " + cleared);
            }
            return Exit.OK;
        }
    }
}
