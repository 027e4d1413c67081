// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ApprovalId;
import dev.redoma.model.wire.Approval;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request for approval as the database has it.
record ApprovalRow(
        ApprovalId id, String tenant, String sandbox, String kind, State state, Map<String, Object> shown, List<String> rules, int needed, Duration within, String requestedBy,
        @Nullable String requester, Instant createdAt, Instant deadline, @Nullable Instant redeemedAt, @Nullable String exec) {

    enum State {
        PENDING, APPROVED, REDEEMED, DENIED, EXPIRED, CANCELLED;

        String wire() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    boolean over(Instant now) {
        return !now.isBefore(deadline);
    }

    Approval view(List<Approval.Decision> decisions) {
        return new Approval(id.value(), tenant, sandbox, kind, state.wire(), shown, rules, needed, requestedBy, requester, createdAt, deadline, decisions, redeemedAt, exec);
    }
}
