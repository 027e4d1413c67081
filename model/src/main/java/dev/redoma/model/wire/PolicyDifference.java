// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// What becomes reachable, and what no longer is.
public record PolicyDifference(List<PolicyReach> opens, List<PolicyReach> closes) {}
