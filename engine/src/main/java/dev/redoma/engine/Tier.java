// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.List;
import java.util.Optional;

/// A way to isolate: makes instances and finds them again after a restart of the server. Thread-safe.
public interface Tier {

    /// `container`, `gvisor`, `microvm` or `vm`.
    String name();

    /// What this host gives, found by running it (not by looking for files), and cached until the server restarts.
    Probe probe();

    /// Limits of this request that this host cannot enforce, by field name (empty: all can be).
    List<String> unenforceable(InstanceLimits limits);

    /// Builds and starts an instance: when this returns, PID 1 (the guest) runs and will dial. On failure nothing is left.
    Instance create(InstanceSpec spec);

    /// An instance made before this server started, if its init still lives and is the same process.
    Optional<Instance> find(InstanceRef ref);

    /// References of everything of this installation that the host still has (processes, cgroups, bundles), for the reaper.
    /// Throws rather than returning less than there is.
    List<InstanceRef> all();

    /// Removes whatever is left of an instance, alive or not; idempotent; returns when it is gone.
    void remove(InstanceRef ref);

    /// Result of trying the tier. `strength`: `shared-kernel`, `user-kernel`, `hardware`, `emulated`.
    record Probe(
            boolean works,
            String strength,
            String runtime,
            String version,
            List<dev.redoma.model.wire.Finding> findings) {}
}
