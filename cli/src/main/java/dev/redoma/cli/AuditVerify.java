// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Audit;
import dev.redoma.client.Profile;
import dev.redoma.client.RedomaClient;
import dev.redoma.ledger.KeptHeads;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Amounts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Verifies the record: the server's own, or an export, for which no server is needed.
@Command(name = "verify", description = {
    "Verify the chain of records: the server's, or an export given as FILE, for which no server is needed.",
    "Exit code 0 only when all fits together and a pinned key vouches for it."})
final class AuditVerify extends Verb {
    /// As many as one request takes: a head says the same of all before it.
    private static final int MOST_HEADS = 10_000;

    @Option(names = "--key", paramLabel = "BASE64", description = "The public key to trust (default: that of the profile).")
    @Nullable String key;

    @Option(names = "--heads", paramLabel = "FILE", description = "Signed heads that were kept on another host, one a line: each must be in its chain.")
    @Nullable Path heads;

    @Parameters(index = "0", arity = "0..1", paramLabel = "FILE")
    @Nullable Path file;

    AuditVerify(Io io) {
        super(io);
    }

    @Override
    public Integer call() throws Exception {
        return file == null ? super.call() : said(export(file));
    }

    @Override
    int run(RedomaClient client) throws IOException {
        var verified = client.audit().verify(kept().newest(MOST_HEADS));
        var pin = pinned();
        var offered = client.audit().publicKey();
        if (pin != null && !pin.equals(offered)) {
            return said(new Audit.Verified("failed", verified.records(), null, null,
                    "the server signs with another key (" + offered + ") than the pinned one (" + pin + ")"));
        }
        return said(verified);
    }

    private Audit.Verified export(Path export) throws IOException {
        var verdict = Ledger.verifyExport(Local.there(export), pinned(), kept());
        return new Audit.Verified(verdict.status().name().toLowerCase(Locale.ROOT), verdict.records(), verdict.tenant(), verdict.firstBad(), verdict.message());
    }

    private KeptHeads kept() throws IOException {
        return heads == null ? KeptHeads.NONE : KeptHeads.read(Local.there(heads));
    }

    private @Nullable String pinned() throws IOException {
        return key != null ? key : io.profiles().load().map(Profile::auditKey).orElse(null);
    }

    private int said(Audit.Verified verified) {
        if (json) {
            print(verified);
        } else {
            io.line(verified.status() + ": " + Amounts.count(verified.records(), "record") + (verified.message() == null || verified.message().isEmpty() ? "" : "; " + verified.message()));
            if (verified.status().equals("failed") && verified.firstBad() != null && verified.firstBad() > 0) {
                io.line("first bad record: " + verified.firstBad() + (verified.tenant() == null ? "" : " of tenant " + verified.tenant()));
            }
        }
        return verified.status().equals("ok") ? Exit.OK : Exit.FAILURE;
    }
}
