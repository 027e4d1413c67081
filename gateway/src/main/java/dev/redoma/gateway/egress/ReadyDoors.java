// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.engine.Network.Place;
import dev.redoma.model.SandboxId;
import dev.redoma.policy.EgressDecider;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Ways out that were made before they are needed: each stands in the namespace of the one sandbox that it was made for, and nobody serves it until that sandbox takes it. Thread-safe.
final class ReadyDoors implements AutoCloseable {
    private final Map<SandboxId, Ready> doors = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /// With what is stored of the sandbox: nobody else writes that before it has a way out.
    record Ready(SandboxNames names, Budgets budgets, Doorway door) {}

    /// `decider`: by a policy that the sandbox is likely to have. Another costs it what it would have cost without this.
    void make(Place place, EgressDecider decider, SandboxNames names, Budgets budgets) throws IOException {
        Doorway door = Doorway.open(place);
        try {
            door.lead(decider, names.all());
        } catch (IOException | RuntimeException failed) {
            door.close();
            throw failed;
        }
        Ready before = doors.put(place.sandbox(), new Ready(names, budgets, door));
        if (before != null) {
            before.door().close();
        }
        if (closed) {
            drop(place.sandbox());
        }
    }

    /// It is the caller's then, and nobody else's. Empty: there is none for this sandbox, or it is of another namespace than the sandbox has now, or of one that inherits names; that one is given up.
    Optional<Ready> take(Place place) {
        Ready ready = doors.remove(place.sandbox());
        if (ready == null || place.forkedFrom() == null && ready.door().isIn(place)) {
            return Optional.ofNullable(ready);
        }
        ready.door().close();
        return Optional.empty();
    }

    void drop(SandboxId sandbox) {
        Ready ready = doors.remove(sandbox);
        if (ready != null) {
            ready.door().close();
        }
    }

    int size() {
        return doors.size();
    }

    @Override
    public void close() {
        closed = true;
        doors.keySet().forEach(this::drop);
    }
}
