// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.ComparePolicies;
import dev.redoma.model.wire.PolicyDifference;
import dev.redoma.model.wire.PolicyExplanation;
import dev.redoma.model.wire.PolicyText;

/// Policies that are asked about. Each is one of the names `none`, `packages`, `internet`, or the text of a policy file. Thread-safe.
public final class Policies {
    private final Api api;

    Policies(Api api) {
        this.api = api;
    }

    /// What it would let out on this server; refused as a create with it would be.
    public PolicyExplanation explain(String policy) {
        return api.post(Target.of("/v1/policies/explain"), new PolicyText(policy), PolicyExplanation.class);
    }

    /// What becomes reachable from one to the other.
    public PolicyDifference difference(String before, String after) {
        return api.post(Target.of("/v1/policies/diff"), new ComparePolicies(before, after), PolicyDifference.class);
    }
}
