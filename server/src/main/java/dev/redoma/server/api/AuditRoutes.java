// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Evidence;
import dev.redoma.engine.Sandboxes;
import dev.redoma.ledger.KeptHeads;
import dev.redoma.ledger.Ledger;
import dev.redoma.ledger.Verdict;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.Erased;
import dev.redoma.model.wire.Scanned;
import dev.redoma.model.wire.VerifyAudit;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The ledger: own tenant, or any for operators.
final class AuditRoutes {
    private final Ledger ledger;
    private final Sandboxes sandboxes;
    private final Evidence evidence;

    AuditRoutes(Ledger ledger, Sandboxes sandboxes, Evidence evidence) {
        this.evidence = evidence;
        this.ledger = ledger;
        this.sandboxes = sandboxes;
    }

    /// Answer of `POST /v1/audit/verify`.
    public record Verified(String status, long records, @Nullable String tenant, @Nullable Long firstBad, String message) {}

    /// Body of `POST /v1/audit/erase`: an id, also one that is not listed any more.
    public record Erase(String sandbox) {}

    /// Answer of `GET /v1/audit/key`.
    public record PublicKey(String publicKey) {}

    List<Operation> operations() {
        return List.of(
                get("/v1/audit", "readAudit", "Records of the ledger").needs(Scope.READ).query("tenant", "string", "operators: of this tenant only")
                        .query("sandbox", "string", "of this sandbox").query("category", "string", "of this category")
                        .query("after", "integer", "after this sequence number").query("newest", "integer", "the newest so many, oldest first, instead").query("limit", "integer", "1 to 1000")
                        .answersItems(AuditRecord.class).by(this::read),
                get("/v1/audit/export", "exportAudit", "Every record as JSON lines, ending in signed heads").needs(Scope.READ)
                        .query("tenant", "string", "operators: of this tenant only").answersBytes(200, "application/jsonl").by(this::export),
                post("/v1/audit/verify", "verifyAudit", "Walks all chains, also against heads that were kept elsewhere").needs(Scope.OPERATE).takes(VerifyAudit.class).answers(200, Verified.class)
                        .by(c -> c.json(verified(ledger.verify(kept(c))))),
                post("/v1/audit/scan", "scanAudit", "Looks through all that is kept for what should have been masked").needs(Scope.OPERATE)
                        .query("tenant", "string", "of this tenant only").answers(200, Scanned.class).by(c -> c.json(evidence.scan(c.caller(), c.query().get("tenant")))),
                post("/v1/audit/erase", "eraseAudit", "Makes what is sealed about an ended sandbox unreadable for ever; the chain stays whole").needs(Scope.OPERATE)
                        .takes(Erase.class).answers(200, Erased.class).by(c -> c.json(evidence.erase(c.caller(), c.http().json(Erase.class).sandbox()))),
                get("/v1/audit/key", "getAuditKey", "The public key to pin").answers(200, PublicKey.class)
                        .by(c -> c.json(new PublicKey(ledger.publicKey()))));
    }

    private static @Nullable String tenant(Call call) {
        var asked = call.query().get("tenant");
        if (call.caller().operator()) {
            return asked;
        }
        var own = call.caller().tenant().value();
        if (asked != null && !asked.equals(own)) {
            throw Problem.of(Code.FORBIDDEN, "This key belongs to another tenant.", "Leave 'tenant' out.").with("field", "tenant").raise();
        }
        return own;
    }

    private void read(Call call) throws IOException {
        var query = call.query();
        var sandbox = query.get("sandbox");
        if (sandbox != null && !SandboxId.looksLike(sandbox)) {
            sandbox = sandboxes.get(call.caller(), sandbox).id();
        }
        if (sandbox != null) {
            evidence.note(sandbox);
        }
        if (query.get("newest") != null) {
            if (query.get("after") != null || query.get("limit") != null) {
                throw Problem.field("newest", "is there with after or limit", "it alone, or these");
            }
            call.json(new Items<>(ledger.newest(tenant(call), sandbox, query.get("category"), (int) query.number("newest", 50, 1, 1000))));
            return;
        }
        call.json(new Items<>(ledger.read(tenant(call), sandbox, query.get("category"), query.number("after", 0, 0, Long.MAX_VALUE),
                (int) query.number("limit", 200, 1, 1000))));
    }

    private void export(Call call) throws IOException {
        var tenant = tenant(call);
        evidence.exporting(call.caller(), tenant);
        call.http().set("Content-Disposition", FileAnswer.attachment("audit.jsonl"));
        ledger.export(tenant, new GuardedOutput(call.http().stream(200, "application/jsonl", -1), call.guard(), Long.MAX_VALUE));
    }

    /// There need be no body.
    private static KeptHeads kept(Call call) throws IOException {
        if (call.http().header("Content-Type") == null) {
            return KeptHeads.NONE;
        }
        var lines = call.http().json(VerifyAudit.class).heads();
        return lines == null ? KeptHeads.NONE : KeptHeads.of(lines);
    }

    private static Verified verified(Verdict verdict) {
        return new Verified(verdict.status().name().toLowerCase(Locale.ROOT), verdict.records(), verdict.tenant(),
                verdict.status() == Verdict.Status.FAILED ? verdict.firstBad() : null, verdict.message());
    }
}
