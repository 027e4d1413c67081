// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.policy.Feature;
import java.nio.file.Path;
import java.util.Set;

/// The network of an instance. Until the gateway implements it an instance has its own loopback and nothing else.
public interface Network {

    /// Called between creation of the instance's network namespace and the start of its first program.
    void attach(String instance, Path netns);

    void detach(String instance);

    /// What it enforces of policies. A sandbox whose policy needs more is not made.
    default Set<Feature> enforces() {
        return Set.of();
    }

    /// Loopback only.
    Network NONE = new Network() {
        @Override
        public void attach(String instance, Path netns) {}

        @Override
        public void detach(String instance) {}
    };
}
