// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.Feature;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// What leaves sandboxes. One that is under no policy that lets anything out has its own loopback and nothing else. Thread-safe.
public interface Network {

    /// `namespace`: its network namespace, as long as `stands` says that its first process is the one that was meant. `forkedFrom`: whose names it knows.
    record Place(SandboxId sandbox, TenantId tenant, @Nullable SandboxId forkedFrom, EffectivePolicy policy, Path namespace, BooleanSupplier stands) {}

    /// The policy is in force when this returns: what it does not allow is refused, and connections that it would not allow are closed. On failure nothing
    /// leaves that did not before.
    void apply(Place place);

    /// Cuts everything. Idempotent.
    void detach(SandboxId sandbox);

    /// With the end of its life.
    void forget(Handle tx, SandboxId sandbox);

    /// What `/etc/resolv.conf` of a sandbox says where anything may leave: the address is answered by whoever implements this.
    String RESOLV_CONF = "nameserver 198.18.0.1\noptions timeout:3 attempts:2\n";

    /// What it enforces of policies. A sandbox whose policy needs more is not made.
    default Set<Feature> enforces() {
        return Set.of();
    }

    /// Loopback only.
    Network NONE = new Network() {
        @Override
        public void apply(Place place) {
            if (!place.policy().closed()) {
                throw Problem.of(Code.NOT_OFFERED, "This server lets nothing out of sandboxes.", "Use the policy none.").raise();
            }
        }

        @Override
        public void detach(SandboxId sandbox) {}

        @Override
        public void forget(Handle tx, SandboxId sandbox) {}
    };
}
