// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.TenantId;
import dev.redoma.policy.NamedPolicies;
import dev.redoma.policy.PolicyDocument;
import dev.redoma.policy.PolicyFile;
import java.util.List;
import java.util.Map;

/// What an operator says of policies: the floor of all sandboxes, further ones of tenants, what a request that says nothing gets (a name or a text), and the registries of the policy `packages`.
public record PolicySettings(PolicyDocument floor, Map<TenantId, PolicyDocument> tenants, String standard, NamedPolicies named) {
    public static final PolicySettings SHIPPED = new PolicySettings(PolicyFile.read("floor", "shipped", NamedPolicies.SHIPPED_FLOOR), Map.of(), "none", new NamedPolicies(List.of()));

    public PolicySettings {
        tenants = Map.copyOf(tenants);
    }
}
