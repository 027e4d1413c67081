// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;
import static dev.redoma.server.api.Operation.put;

import dev.redoma.engine.Policies;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.ComparePolicies;
import dev.redoma.model.wire.PolicyDifference;
import dev.redoma.model.wire.PolicyExplanation;
import dev.redoma.model.wire.PolicyProposal;
import dev.redoma.model.wire.PolicyText;
import dev.redoma.policy.PolicySchema;
import java.util.List;

/// Policies: those of sandboxes, and those that are only asked about.
final class PolicyRoutes {
    private static final String ONE = "/v1/sandboxes/{id}/policy";

    private final Policies policies;

    PolicyRoutes(Policies policies) {
        this.policies = policies;
    }

    List<Operation> operations() {
        return List.of(
                get("/v1/policies/schema", "getPolicySchema", "JSON Schema of policy files").withoutKey().answersBytes(200, "application/schema+json")
                        .by(c -> c.http().bytes(200, "application/schema+json", PolicySchema.bytes())),
                post("/v1/policies/explain", "explainPolicy", "Checks a policy and tells what it would let out here").needs(Scope.READ).takes(PolicyText.class).answers(200, PolicyExplanation.class)
                        .by(c -> c.json(policies.explain(c.caller(), c.http().json(PolicyText.class).policy()))),
                post("/v1/policies/diff", "diffPolicies", "What becomes reachable from one policy to another").needs(Scope.READ).takes(ComparePolicies.class).answers(200, PolicyDifference.class)
                        .by(c -> {
                            var asked = c.http().json(ComparePolicies.class);
                            c.json(policies.difference(c.caller(), asked.before(), asked.after()));
                        }),
                get(ONE, "getPolicy", "The policy in force for a sandbox").needs(Scope.READ).answers(200, PolicyExplanation.class)
                        .by(c -> c.json(policies.of(c.caller(), c.sandbox()))),
                put(ONE, "changePolicy", "Gives a sandbox another policy; in force when this answers").needs(Scope.CREATE).takes(PolicyText.class).answers(200, PolicyExplanation.class)
                        .by(c -> c.json(policies.change(c.caller(), c.sandbox(), c.http().json(PolicyText.class).policy()))),
                get(ONE + "/learn", "learnPolicy", "The least policy that would have allowed what it was refused").needs(Scope.READ).answers(200, PolicyProposal.class)
                        .by(c -> c.json(policies.learn(c.caller(), c.sandbox()))));
    }
}
