// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which sandboxes: in one of these states (none: all but ended), with all these labels, of this name.
public record SandboxFilter(List<String> states, Map<String, String> labels, @Nullable String name) {

    public static final SandboxFilter ALIVE = new SandboxFilter(List.of(), Map.of(), null);

    public SandboxFilter {
        states = List.copyOf(states);
        labels = Map.copyOf(labels);
    }

    Target apply(Target target) {
        states.forEach(state -> target.with("state", state));
        labels.forEach((name, value) -> target.with("label", name + "=" + value));
        return target.with("name", name);
    }
}
