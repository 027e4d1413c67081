// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.NetworkWishes;
import dev.redoma.engine.Policies;
import dev.redoma.model.Caller;
import dev.redoma.model.wire.PolicyDifference;
import dev.redoma.model.wire.PolicyExplanation;
import dev.redoma.model.wire.PolicyProposal;
import dev.redoma.policy.Explainer;
import dev.redoma.policy.NamedPolicies;
import dev.redoma.policy.PolicyStack;
import java.util.List;

/// Knows who may see which sandbox; every sandbox has the policy none.
record FakePolicies(FakeRedoma sandboxes) implements Policies {

    @Override
    public PolicyExplanation explain(Caller caller, String policy) {
        var named = new NamedPolicies(List.of());
        return Explainer.explain(new PolicyStack(policy, List.of(named.read("request", policy))), 0);
    }

    @Override
    public PolicyDifference difference(Caller caller, String before, String after) {
        return new PolicyDifference(List.of(), List.of());
    }

    @Override
    public PolicyExplanation of(Caller caller, String sandbox) {
        sandboxes.get(caller, sandbox);
        return explain(caller, "none");
    }

    @Override
    public PolicyExplanation change(Caller caller, String sandbox, String policy) {
        sandboxes.get(caller, sandbox);
        return explain(caller, policy);
    }

    @Override
    public String written(Caller caller, NetworkWishes wishes) {
        return "none";
    }

    @Override
    public NetworkWishes network(Caller caller, String sandbox) {
        sandboxes.get(caller, sandbox);
        return NetworkWishes.NOTHING_LEAVES;
    }

    @Override
    public PolicyProposal learn(Caller caller, String sandbox) {
        sandboxes.get(caller, sandbox);
        return new PolicyProposal("", List.of());
    }
}
