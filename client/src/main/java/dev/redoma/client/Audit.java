// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.Erased;
import dev.redoma.model.wire.Scanned;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.VerifyAudit;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The server's record of what happened. Thread-safe.
public final class Audit {
    private final Api api;

    Audit(Api api) {
        this.api = api;
    }

    /// Which records: null means any.
    public record Filter(@Nullable String tenant, @Nullable String sandbox, @Nullable String category) {
        public static final Filter ALL = new Filter(null, null, null);
    }

    /// The outcome of a verification on the server: `ok`, `unanchored`, `failed`, and of an export `unopened`.
    public record Verified(String status, long records, @Nullable String tenant, @Nullable Long firstBad, @Nullable String message) {}

    /// In chain order, with a sequence number greater than `after`.
    public List<AuditRecord> read(Filter filter, long after, int limit) {
        var target = Target.of("/v1/audit").with("tenant", filter.tenant()).with("sandbox", filter.sandbox())
                .with("category", filter.category()).with("after", after).with("limit", limit);
        Page<AuditRecord> page = api.getList(target, Page.class, AuditRecord.class);
        return page.items();
    }

    /// The newest so many (1 to 1000), oldest first; an operator's without a tenant are of all of them, by time.
    public List<AuditRecord> newest(Filter filter, int count) {
        var target = Target.of("/v1/audit").with("tenant", filter.tenant()).with("sandbox", filter.sandbox())
                .with("category", filter.category()).with("newest", count);
        Page<AuditRecord> page = api.getList(target, Page.class, AuditRecord.class);
        return page.items();
    }

    /// JSON lines, ending in a signed head for each chain.
    public void export(@Nullable String tenant, OutputStream to) throws IOException {
        var request = api.plain("GET", Target.of("/v1/audit/export").with("tenant", tenant)).patience(api.patience().work());
        try (var answer = api.open(request)) {
            answer.body().transferTo(to);
        }
    }

    public Verified verify() {
        return verify(List.of());
    }

    /// `heads`: signed heads that were kept elsewhere, a line each, at most some thousands.
    public Verified verify(List<String> heads) {
        return api.send(api.request("POST", Target.of("/v1/audit/verify"), heads.isEmpty() ? null : new VerifyAudit(heads)).patience(api.patience().work()), Verified.class);
    }

    /// The public key to pin.
    public String publicKey() {
        return api.get(Target.of("/v1/audit/key"), PublicKey.class).publicKey();
    }

    /// Looks through all that is kept of a tenant (null: of all) for what should have been masked. For operators.
    public Scanned scan(@Nullable String tenant) {
        return api.send(api.request("POST", Target.of("/v1/audit/scan").with("tenant", tenant), null).patience(api.patience().work()), Scanned.class);
    }

    /// Makes what is sealed about an ended sandbox (its id) unreadable for ever; the chain stays whole. For operators.
    public Erased erase(String sandbox) {
        return api.send(api.request("POST", Target.of("/v1/audit/erase"), Map.of("sandbox", sandbox)), Erased.class);
    }

    private record PublicKey(String publicKey) {}
}
