// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.Feature;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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

    /// Makes beforehand what `apply` would make, for a sandbox in which nothing runs yet: it leads nowhere, and belongs to this sandbox in this namespace, whatever becomes of it. `apply` opens it, by whatever policy there
    /// is then; `detach` takes it away. Where it was not made, or fails to serve, `apply` makes all by itself.
    default void prepare(Place place) {}

    /// Cuts everything. Idempotent.
    void detach(SandboxId sandbox);

    /// With the end of its life.
    void forget(Handle tx, SandboxId sandbox);

    /// The certificate, in PEM, of the authority that this sandbox is to trust where its policy intercepts: the same as long as the sandbox lives. Empty: nothing is ever intercepted.
    default Optional<String> authority(SandboxId sandbox) {
        return Optional.empty();
    }

    /// Whether programs in sandboxes out of which anything leaves are to trust more than their template says, also where nothing is intercepted: `authority(…)` holds it.
    default boolean trustsMore() {
        return false;
    }

    /// What an explanation of a policy under which anything leaves has to say of the network between this host and the outside.
    default List<String> notes() {
        return List.of();
    }

    /// What `/etc/resolv.conf` of a sandbox says where anything may leave: the address is answered by whoever implements this.
    String RESOLV_CONF = "nameserver 198.18.0.1\noptions timeout:3 attempts:2\n";

    /// What it enforces of policies. A sandbox whose policy needs more is not made.
    default Set<Feature> enforces() {
        return Set.of();
    }

    /// What was refused of a sandbox by now is on record when it returns, as far as records can be written.
    default void note(SandboxId sandbox) {}

    /// What policy refused of a sandbox in its life, as the gateway keeps record of it. `packets`: what was no connection. `latest`: the last one of the others since it was let out by this server.
    record Refused(long names, long connections, long requests, long packets, @Nullable Refusal latest) {
        /// Those that `latest` may be of.
        long all() {
            return names + connections + requests;
        }
    }

    /// One of these: to which host or address and port (0: only a name was asked for), by which rule, and why.
    record Refusal(@Nullable String host, @Nullable String address, int port, @Nullable String rule, @Nullable String reason) {}

    /// Empty where nothing stands between it and the outside that could keep count: it has its loopback alone, or does not run.
    default Optional<Refused> refused(SandboxId sandbox) {
        return Optional.empty();
    }

    /// At the end of its life: what was counted of what left it and was refused, each beside what is on record of it, and in `whole` whether these are the same. Empty: nothing was.
    default java.util.Map<String, Object> reconciled(Handle tx, SandboxId sandbox) {
        return java.util.Map.of();
    }

    /// Asks humans before something leaves, where a policy wants it.
    interface Asking {
        /// Returns where it may leave, with what approved it used up; throws `approval-pending`, `approval-denied` and whatever else keeps it from that. May take as long as a human is waited for. `host` null: an address that the
        /// program named itself. `to`: the host, or that address.
        void egress(SandboxId sandbox, EgressClass egressClass, @Nullable String host, String to, int port);
    }

    /// Whom to ask, from now on. What lets something out has to.
    default void asking(Asking asking) {}

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
