// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Audit;
import dev.redoma.client.RedomaClient;
import dev.redoma.client.WholeFile;
import dev.redoma.client.json.Json;
import dev.redoma.model.wire.AuditRecord;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The record of what happened.
@Command(name = "audit", description = "The record of what happened: read, export, verify, scan, erase.",
        subcommands = {AuditGroup.Tail.class, AuditGroup.Export.class, AuditVerify.class, AuditScan.class, AuditErase.class})
final class AuditGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "tail", description = "Print records, the newest last.")
    static final class Tail extends Verb {
        private static final int MOST = 1000;

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
            if (lines < 0 || lines > MOST) {
                throw new Failed(Exit.USAGE, "-n " + lines + " is out of range.", "Ask for 0 to " + MOST + ", or export all: redoma audit export.");
            }
            var filter = new Audit.Filter(tenant, sandbox, category);
            var newest = client.audit().newest(filter, follow ? MOST : Math.max(1, lines));
            newest.stream().skip(Math.max(0, newest.size() - lines)).forEach(this::show);
            var on = new AuditFollow(client.audit(), filter);
            on.seen(newest);
            while (follow) {
                Thread.sleep(500);
                on.fresh(this::show);
            }
            return Exit.OK;
        }

        private void show(AuditRecord r) {
            if (json) {
                print(r);
                return;
            }
            var about = r.exec() == null ? r.sandbox() : r.sandbox() + "/" + r.exec();
            io.line((r.tenant().equals("default") ? "" : r.tenant() + "#") + r.seq() + " " + r.at().truncatedTo(java.time.temporal.ChronoUnit.MILLIS) + " " + r.category() + "." + r.action() + " " + r.actor()
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
            WholeFile.secret(Path.of(out), file -> client.audit().export(tenant, file));
            if (json) {
                print(java.util.Map.of("file", out));
            }
            return Exit.OK;
        }
    }
}
