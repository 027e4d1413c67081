// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Isolation;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Mount;
import dev.redoma.model.wire.Workspace;
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
        String policy,
        String reopen,
        String onTimeout,
        boolean untrusted,
        @Nullable String forkedFrom,
        List<Mount> mounts,
        List<CacheTools> caches,
        @Nullable Workspace workspace) {

    InstanceLimits enforced() {
        return LimitRules.enforced(limits);
    }
}
