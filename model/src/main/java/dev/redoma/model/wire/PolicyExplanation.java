// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// A policy as it is or would be in force. `digest`: of all its documents. `epoch`: counts changes in a sandbox's life. `reach`: all that can leave. `lines`: every rule with where it came from. `notes`: what
/// nobody can see or exclude under it.
public record PolicyExplanation(
        String name, String digest, long epoch, boolean closed, PolicySources sources, List<PolicyReach> reach, List<Line> lines, List<String> notes) {

    /// `effect`: what the layers around it leave of the rule (`whole`, `narrowed`, `nothing`).
    public record Line(String rule, String from, String says, String effect) {}
}
