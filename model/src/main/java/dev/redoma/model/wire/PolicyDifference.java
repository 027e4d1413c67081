// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// What becomes reachable, and what no longer is; what humans are asked for from then on (`asks`), and what no longer (`asksNoMore`). `setUpOpens` and `setUpCloses`: of what is reached while a sandbox is set up.
public record PolicyDifference(List<PolicyReach> opens, List<PolicyReach> closes, List<String> asks, List<String> asksNoMore,
        List<PolicyReach> setUpOpens, List<PolicyReach> setUpCloses) {

    public PolicyDifference(List<PolicyReach> opens, List<PolicyReach> closes) {
        this(opens, closes, List.of(), List.of(), List.of(), List.of());
    }
}
