// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Isolation;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Mount;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.Workspace;
import dev.redoma.policy.PolicyStack;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A create request with every value decided: what is in force if it succeeds.
record Plan(
        Source source,
        Tier tier,
        Isolation isolation,
        @Nullable String name,
        Map<String, String> labels,
        Map<String, String> env,
        Limits limits,
        String privileges,
        PolicyStack stack,
        String reopen,
        String onTimeout,
        boolean untrusted,
        @Nullable String forkedFrom,
        List<Mount> mounts,
        List<CacheTools> caches,
        @Nullable Workspace workspace,
        List<String> artifacts,
        @Nullable Redact redact) {

    String policy() {
        return stack.name();
    }

    InstanceLimits enforced() {
        return LimitRules.enforced(limits);
    }
}
