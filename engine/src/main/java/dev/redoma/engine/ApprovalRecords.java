// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.wire.Approval;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Category `approval`: asked (with all that is shown, sealed), decided by whom and why, redeemed, expired (nobody approved it), lapsed (nobody used it), cancelled.
final class ApprovalRecords {
    private final Ledger ledger;

    ApprovalRecords(Ledger ledger) {
        this.ledger = ledger;
    }

    void asked(Handle tx, ApprovalRow row) {
        append(tx, row, row.requestedBy(), null, "asked", Map.of("rules", row.rules(), "needed", row.needed(), "expiresAt", row.deadline().toString()), Map.of("shown", row.shown()));
    }

    void decided(Handle tx, ApprovalRow row, Approval.Decision word, int voices) {
        append(tx, row, word.key(), null, word.verdict().equals("deny") ? "denied" : voices >= row.needed() ? "approved" : "agreed", Map.of("voices", voices, "needed", row.needed()),
                Map.of("reason", word.reason()));
    }

    void redeemed(Handle tx, ApprovalRow row, @Nullable String exec) {
        append(tx, row, row.requestedBy(), exec, "redeemed", Map.of(), Map.of());
    }

    void closed(Handle tx, ApprovalRow row, String action) {
        append(tx, row, Records.ENGINE, null, action, Map.of(), Map.of());
    }

    private void append(Handle tx, ApprovalRow row, String actor, @Nullable String exec, String action, Map<String, Object> more, Map<String, Object> sealed) {
        var open = new LinkedHashMap<>(more);
        open.put("approval", row.id().value());
        open.put("kind", row.kind());
        open.put("requestedBy", row.requestedBy());
        if (row.requester() != null) {
            open.put("requester", row.requester());
        }
        ledger.append(tx, new Entry(row.tenant(), actor, row.sandbox(), exec, "approval", action, open, sealed, List.of()));
    }
}
