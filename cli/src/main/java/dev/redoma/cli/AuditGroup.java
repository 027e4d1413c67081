// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Audit;
import dev.redoma.client.RedomaClient;
import dev.redoma.client.json.Json;
import dev.redoma.model.wire.AuditRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The record of what happened.
@Command(name = "audit", description = "The record of what happened: read, export, verify.",
        subcommands = {AuditGroup.Tail.class, AuditGroup.Export.class, AuditVerify.class})
final class AuditGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "tail", description = "Print records, the newest last.")
    static final class Tail extends Verb {
        private static final int PAGE = 1000;

        @Option(names = "--tenant", description = "Of this tenant (operators).")
        @Nullable String tenant;

        @Option(names = "--sandbox", description = "About this sandbox.")
        @Nullable String sandbox;

        @Option(names = "--category", description = "Of this category, such as sandbox, exec, file, admin.")
        @Nullable String category;

        @Option(names = {"-n", "--lines"}, description = "At most so many, the newest (default: ${DEFAULT-VALUE}).", defaultValue = "50")
        int lines;

        @Option(names = {"-f", "--follow"}, description = "Wait for more.")
        boolean follow;

        Tail(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) throws InterruptedException {
            var filter = new Audit.Filter(tenant, sandbox, category);
            var newest = new java.util.ArrayDeque<AuditRecord>();
            long after = 0;
            for (var page = client.audit().read(filter, after, PAGE); !page.isEmpty(); page = client.audit().read(filter, after, PAGE)) {
                page.forEach(record -> keep(newest, record));
                long last = page.getLast().seq();
                if (page.size() < PAGE || last <= after) {
                    after = Math.max(after, last);
                    break;
                }
                after = last;
            }
            newest.forEach(this::show);
            while (follow) {
                Thread.sleep(500);
                after = more(client.audit().read(filter, after, PAGE), after);
            }
            return Exit.OK;
        }

        private void keep(java.util.ArrayDeque<AuditRecord> newest, AuditRecord record) {
            newest.addLast(record);
            if (newest.size() > Math.max(0, lines)) {
                newest.removeFirst();
            }
        }

        private long more(List<AuditRecord> page, long after) {
            page.forEach(this::show);
            return page.isEmpty() ? after : page.getLast().seq();
        }

        private void show(AuditRecord r) {
            if (json) {
                print(r);
                return;
            }
            var about = r.exec() == null ? r.sandbox() : r.sandbox() + "/" + r.exec();
            io.line(r.seq() + " " + r.at().truncatedTo(java.time.temporal.ChronoUnit.MILLIS) + " " + r.category() + "." + r.action() + " " + r.actor()
                    + (about == null ? "" : " " + about) + " " + Text.safe(Json.write(r.fields())));
        }
    }

    @Command(name = "export", description = "Write all records as JSON lines, ending in a signed head for each chain.")
    static final class Export extends Verb {
        @Option(names = "--out", paramLabel = "FILE", required = true, description = "Where to; '-' is stdout.")
        String out = "";

        @Option(names = "--tenant", description = "Of this tenant only.")
        @Nullable String tenant;

        Export(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) throws IOException {
            if (out.equals("-")) {
                client.audit().export(tenant, io.out());
                return Exit.OK;
            }
            var part = Path.of(out + ".part");
            try (var file = Files.newOutputStream(part)) {
                client.audit().export(tenant, file);
            }
            Files.move(part, Path.of(out), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            if (json) {
                print(java.util.Map.of("file", out));
            }
            return Exit.OK;
        }
    }
}
