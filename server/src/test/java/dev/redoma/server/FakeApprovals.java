// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Approvals;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Approval;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Nothing waits for anybody.
final class FakeApprovals implements Approvals {
    @Override
    public List<Approval> list(Caller caller, boolean open, @Nullable String sandbox) {
        return List.of();
    }

    @Override
    public Approval get(Caller caller, String approval) {
        throw Problem.of(Code.APPROVAL_NOT_FOUND, "There is none.", "Ask for something.").raise();
    }

    @Override
    public Approval decide(Caller caller, String approval, boolean approve, String reason) {
        return get(caller, approval);
    }
}
