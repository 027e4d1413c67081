// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.policy.ApprovalPolicy.Needed;
import java.util.List;
import java.util.Map;

/// Something that needs approval before it happens. `shown`: all of it, as humans see it; `exact`: all of it as it is, what the approval is bound to: one byte more is another request.
record ApprovalAsk(String kind, SandboxId sandbox, TenantId tenant, Caller caller, Map<String, Object> shown, List<String> exact, Needed needed) {

    ApprovalAsk {
        shown = Map.copyOf(shown);
        exact = List.copyOf(exact);
    }
}
