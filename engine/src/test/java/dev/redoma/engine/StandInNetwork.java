// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.policy.Feature;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jdbi.v3.core.Handle;

/// Notes what the engine wants of a network and lets nothing out. The real one is the gateway room's.
final class StandInNetwork implements Network {
    /// What is made and not open yet; what is open, by which policy. Neither outlives `detach`.
    final Map<SandboxId, Place> ready = new ConcurrentHashMap<>();
    final Map<SandboxId, Place> open = new ConcurrentHashMap<>();
    final List<SandboxId> everReady = new CopyOnWriteArrayList<>();
    /// Those that were opened when they had been made before.
    final List<SandboxId> taken = new CopyOnWriteArrayList<>();
    volatile boolean failing;

    @Override
    public void prepare(Place place) {
        if (failing) {
            throw Problem.of(Code.HOST_FAILED, "No network.", "Try again.").raise();
        }
        everReady.add(place.sandbox());
        ready.put(place.sandbox(), place);
    }

    @Override
    public void apply(Place place) {
        if (place.policy().closed()) {
            open.remove(place.sandbox());
            return;
        }
        if (ready.remove(place.sandbox()) != null) {
            taken.add(place.sandbox());
        }
        open.put(place.sandbox(), place);
    }

    @Override
    public void detach(SandboxId sandbox) {
        ready.remove(sandbox);
        open.remove(sandbox);
    }

    @Override
    public void forget(Handle tx, SandboxId sandbox) {}

    @Override
    public Optional<String> authority(SandboxId sandbox) {
        return Optional.of("authority of " + sandbox);
    }

    @Override
    public Set<Feature> enforces() {
        return Set.of(Feature.EGRESS);
    }
}
