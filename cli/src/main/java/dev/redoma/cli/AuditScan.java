// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Matcher;
import dev.redoma.ledger.redact.Patterns;
import dev.redoma.ledger.redact.Secret;
import dev.redoma.model.Amounts;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.Scanned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Looks for what should have been masked: in all that the server keeps, or in a file.
@Command(name = "scan", description = {
    "Look for registered secrets and tokens in all that is kept: records, words and output of commands, logs of sandboxes; or in FILE, such as an export, for which no server is needed.",
    "Exit code 0 only when nothing was found. What was found is not shown, only where it is."})
final class AuditScan extends Verb {
    @Option(names = "--tenant", description = "Of this tenant only.")
    @Nullable String tenant;

    @Mixin
    RedactFlags redact = new RedactFlags();

    @Parameters(index = "0", arity = "0..1", paramLabel = "FILE")
    @Nullable Path file;

    AuditScan(Io io) {
        super(io);
    }

    @Override
    public Integer call() throws Exception {
        return file == null ? super.call() : said(of(Local.there(file)));
    }

    @Override
    int run(RedomaClient client) {
        if (redact.redact() != null) {
            throw new Failed(Exit.USAGE, "--redact is for a FILE.", "The server knows what was registered with it.");
        }
        return said(client.audit().scan(tenant));
    }

    private Scanned of(Path export) throws IOException {
        var asked = redact.redact();
        var secrets = (asked == null ? new Redact(null, null) : asked).values().entrySet().stream().map(e -> new Secret(e.getKey(), e.getValue().strip())).toList();
        var tooShort = secrets.stream().filter(s -> s.value().length() < Secret.LEAST).findFirst();
        if (tooShort.isPresent()) {
            throw new Failed(Exit.USAGE, "--redact " + tooShort.get().name() + " is shorter than " + Secret.LEAST + " bytes.", "What is so short stands in too much else.");
        }
        var patterns = Patterns.of(secrets, true);
        var matcher = new Matcher(patterns);
        var hits = new Hits();
        long bytes = 0;
        try (var in = Files.newInputStream(export)) {
            byte[] piece = new byte[128 << 10];
            for (int n; (n = in.read(piece)) > 0; bytes += n) {
                matcher.feed(piece, 0, n, hits);
                hits.take();
            }
        }
        var findings = new ArrayList<Scanned.Finding>();
        hits.counts().forEach((m, n) -> findings.add(new Scanned.Finding("file", "", null, null, null, m.kind(), m.name(), m.form(), n)));
        return new Scanned(findings.isEmpty() ? "clean" : "found", 0, 0, 1, bytes, 0, List.copyOf(findings));
    }

    private int said(Scanned scanned) {
        if (json) {
            print(scanned);
        } else {
            scanned.findings().forEach(f -> io.line(Text.safe(f.where() + (f.seq() == null ? "" : " " + f.seq() + " of tenant " + f.tenant())
                    + (f.sandbox() == null ? "" : " " + f.sandbox()) + (f.exec() == null ? "" : "/" + f.exec()) + ": " + f.kind() + " " + f.name() + " (" + f.form() + "), " + f.count() + "×")));
            io.line(scanned.status() + ": " + Amounts.count(scanned.records(), "record") + ", " + Amounts.count(scanned.commands(), "command") + ", "
                    + Amounts.count(scanned.outputs(), "output") + " of " + scanned.outputBytes() + " bytes" + (scanned.more() == 0 ? "" : "; " + scanned.more() + " more findings"));
        }
        return scanned.status().equals("clean") ? Exit.OK : Exit.FAILURE;
    }
}
