// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// What becomes reachable, and what no longer is; what humans are asked for from then on (`asks`), and what no longer (`asksNoMore`). `setUpOpens` and `setUpCloses`: of what is reached while a sandbox is set up.
/// `says` and `saysNoMore`: what one of them alone says beside that (privileges, limits, ports that may be exposed, rates, budgets, what is kept), a line each; a term that is no more said limits no more.
public record PolicyDifference(List<PolicyReach> opens, List<PolicyReach> closes, List<String> asks, List<String> asksNoMore,
        List<PolicyReach> setUpOpens, List<PolicyReach> setUpCloses, List<String> says, List<String> saysNoMore) {

    public PolicyDifference(List<PolicyReach> opens, List<PolicyReach> closes) {
        this(opens, closes, List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
    }
}
