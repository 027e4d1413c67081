// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Approvals;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Approval;
import dev.redoma.model.wire.DecideApproval;
import java.io.IOException;
import java.util.List;

/// What waits for humans, and their decisions.
final class ApprovalRoutes {
    private static final String ALL = "/v1/approvals";

    private final Approvals approvals;

    ApprovalRoutes(Approvals approvals) {
        this.approvals = approvals;
    }

    List<Operation> operations() {
        return List.of(
                get(ALL, "listApprovals", "The newest 200 requests for approval, oldest first (scope read or approve)").query("open", "boolean", "only those that are pending, or approved and not used (default true)")
                        .query("sandbox", "string", "only of this one, by its id").answersItems(Approval.class)
                        .by(c -> c.json(new Items<>(approvals.list(c.caller(), c.query().flag("open", true), c.query().get("sandbox"))))),
                get(ALL + "/{approval}", "getApproval", "One, with all that is shown of it and who said what (scope read or approve)").answers(200, Approval.class)
                        .by(c -> c.json(approvals.get(c.caller(), c.parameter("approval")))),
                post(ALL + "/{approval}/decision", "decideApproval", "One person's word, by a key of another person than who asked").needs(Scope.APPROVE).takes(DecideApproval.class).answers(200, Approval.class)
                        .by(this::decide));
    }

    private void decide(Call call) throws IOException {
        var body = call.http().json(DecideApproval.class);
        if (!body.verdict().equals("approve") && !body.verdict().equals("deny")) {
            throw Problem.field("verdict", "cannot be taken", "approve or deny");
        }
        call.json(approvals.decide(call.caller(), call.parameter("approval"), body.verdict().equals("approve"), body.reason()));
    }
}
