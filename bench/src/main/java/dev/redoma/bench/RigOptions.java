// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.util.LinkedHashMap;
import java.util.Map;

/// Configuration of a rig's server: `REDOMA_*` variables, and what only a file can say (empty: no file).
record RigOptions(Map<String, String> variables, String file) {

    static RigOptions standard() {
        return new RigOptions(Map.of(), "").with("RATE_PER_SECOND", "100000").with("RATE_BURST", "100000").with("POOL_SIZE", "24GiB")
                .with("QUOTA_LIVE", "512").with("QUOTA_STORED", "100000").with("QUOTA_SNAPSHOTS", "100000");
    }

    RigOptions with(String name, String value) {
        var more = new LinkedHashMap<>(variables);
        more.put("REDOMA_" + name, value);
        return new RigOptions(more, file);
    }

    RigOptions withFile(String yaml) {
        return new RigOptions(variables, yaml);
    }

    RigOptions withoutWarmPool() {
        return with("WARM_SIZE", "0");
    }
}
