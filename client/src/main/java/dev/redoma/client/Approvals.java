// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Approval;
import dev.redoma.model.wire.DecideApproval;
import dev.redoma.model.wire.Page;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What waits for humans, and their decisions. Thread-safe.
public final class Approvals {
    private final Api api;

    Approvals(Api api) {
        this.api = api;
    }

    /// The newest 200, oldest first. `open`: only what is pending, or approved and not used; `sandbox`: only of this one, by its id.
    public List<Approval> list(boolean open, @Nullable String sandbox) {
        Page<Approval> page = api.getList(Target.of("/v1/approvals").with("open", open).with("sandbox", sandbox), Page.class, Approval.class);
        return page.items();
    }

    public Approval get(String id) {
        return api.get(Target.of("/v1/approvals/", id), Approval.class);
    }

    /// By a key that approves, of another person than who asked.
    public Approval approve(String id, String reason) {
        return api.post(Target.of("/v1/approvals/", id, "/decision"), new DecideApproval("approve", reason), Approval.class);
    }

    public Approval deny(String id, String reason) {
        return api.post(Target.of("/v1/approvals/", id, "/decision"), new DecideApproval("deny", reason), Approval.class);
    }
}
