// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.ledger.redact.Masks;
import dev.redoma.model.wire.AuditRecord;
import java.nio.file.Path;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The append-only, hash-chained, signed record of what happened. One chain per tenant.
public interface Ledger {

    /// Appends within the caller's transaction (see Store.write): the record is durable exactly when the state change is.
    /// Returns the sequence number in the tenant's chain, beginning with 1.
    long append(Handle tx, Entry entry);

    /// In chain order, `seq` greater than `after`, at most `limit` (1..1000); a null tenant means all tenants by time.
    List<AuditRecord> read(@Nullable String tenant, @Nullable String sandbox, @Nullable String category, long after, int limit);

    /// The newest `limit` (1..1000) of those, oldest first; over all tenants (null) by time.
    List<AuditRecord> newest(@Nullable String tenant, @Nullable String sandbox, @Nullable String category, int limit);

    /// How many records of a sandbox have one of these actions and this text in a field that is not sealed; `actor` null: of whomever.
    long count(Handle tx, String tenant, String sandbox, String category, java.util.Set<String> actions, @Nullable String actor, String field, String value);

    /// Writes every record of a tenant (null: of all) as JSON lines, ending in a signed head per chain.
    void export(@Nullable String tenant, java.io.OutputStream to) throws java.io.IOException;

    /// Signs the present heads, into the database and the append-only file beside it.
    void checkpoint();

    /// Walks all chains against heads inside and outside the database.
    default Verdict verify() {
        return verify(KeptHeads.NONE);
    }

    /// The same, and against heads that were kept on another host.
    Verdict verify(KeptHeads kept);

    /// Verifies an export without a server. A null pin gives at best `UNANCHORED`.
    static Verdict verifyExport(Path file, @Nullable String pinnedKey) throws java.io.IOException {
        return verifyExport(file, pinnedKey, KeptHeads.NONE);
    }

    /// The same, and against heads that were kept elsewhere.
    static Verdict verifyExport(Path file, @Nullable String pinnedKey, KeptHeads kept) throws java.io.IOException {
        return Verification.ofExport(file, pinnedKey, kept);
    }

    /// Signed heads as they stand in the file outside the database, and the byte to go on from.
    record HeadLines(List<String> lines, long next) {}

    /// Those of that file from this byte on, in the order in which they were signed; some at a time.
    HeadLines heads(long from) throws java.io.IOException;

    /// Whose chains there are.
    List<String> tenants();

    /// As `read`, and with `sealed` false without what is sealed.
    List<AuditRecord> following(String tenant, long after, int limit, boolean sealed);

    /// The public key (Ed25519, Base64 of the raw 32 bytes) to pin.
    String publicKey();

    /// What is masked in every text of a record before it is written: tokens by their shape, until this is called.
    void masks(Masks masks);

    /// Seals bytes that are no record under the sandbox's own key.
    byte[] seal(Handle tx, String tenant, String sandbox, byte[] plain);

    /// Opens what `seal` made; null where its key was erased.
    byte @Nullable [] open(Handle tx, String tenant, String sandbox, byte[] sealed);

    /// A digest of bytes that nobody can try out who has the database alone.
    byte[] digest(byte[] bytes);

    /// Removes what is sealed in records of these categories that are older than that; the records stay and the chain whole. How many.
    long prune(java.util.Map<String, java.time.Duration> keep);

    /// Whose sandbox it was, as far as records with sealed fields tell.
    @Nullable String tenantOf(Handle tx, String sandbox);

    /// Makes the sealed bodies of a sandbox unreadable for ever; the chain stays whole.
    void erase(Handle tx, String tenant, String sandbox);
}
