// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Something that waits, or waited, for humans. `kind`: `exec`, `egress`, `port`, `raise` or `apply`. `state`: `pending`, `approved` (not used yet), `redeemed` (used, once), `denied`, `expired` or `cancelled` (its sandbox ended).
/// `shown`: all that is approved, with invisible characters written out (docs/approvals.md). `needed`: how many people have to agree. `expiresAt`: when a pending one is denied; of an approved one: when it cannot be used any more.
/// `requestedBy`: the key that asked, `requester`: whose it is.
public record Approval(
        String id, String tenant, String sandbox, String kind, String state, Map<String, Object> shown, List<String> rules, int needed, String requestedBy, @Nullable String requester, Instant createdAt,
        Instant expiresAt, List<Decision> decisions, @Nullable Instant redeemedAt, @Nullable String exec) {

    /// One person's word. `verdict`: `approve` or `deny`.
    public record Decision(String person, String key, String verdict, String reason, Instant at) {}
}
