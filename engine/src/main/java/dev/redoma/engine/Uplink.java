// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.policy.EffectivePolicy;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/// Puts the policies of sandboxes into force in their networks. Called under the box's lock.
final class Uplink {
    private final Network network;
    private final Function<SandboxRow, EffectivePolicy> policies;

    Uplink(Network network, Function<SandboxRow, EffectivePolicy> policies) {
        this.network = network;
        this.policies = policies;
    }

    /// Before the first command of what was just started or thawed. One that nothing may leave costs nothing. When it throws, nothing leaves.
    void connect(Handover handover, LiveBox live, SandboxRow row) {
        connect(handover, live, row, policies.apply(row));
    }

    /// By another policy than its own.
    void connect(Handover handover, LiveBox live, SandboxRow row, EffectivePolicy by) {
        enforce(live, row, by, policy -> tell(handover, live, row, reach(policy)));
    }

    /// Of a member of the warm pool, which was told by `ready` already what most are told.
    void claimed(Handover handover, LiveBox live, SandboxRow row, Plan plan) {
        enforce(live, row, policy(plan), policy -> {
            if (live.told() != reach(policy)) {
                tell(handover, live, row, reach(policy));
            }
        });
    }

    /// Makes and tells beforehand what a sandbox by such a plan would need; nothing leaves by it. Called before anything runs in there.
    void ready(Handover handover, LiveBox live, SandboxRow row, Plan plan) {
        EffectivePolicy policy = policy(plan);
        if (!policy.closed()) {
            network.prepare(place(live, row, policy));
            tell(handover, live, row, reach(policy));
        }
    }

    private void tell(Handover handover, LiveBox live, SandboxRow row, Reach reach) {
        if (reach == Reach.TRUSTING) {
            handover.network(live, Network.RESOLV_CONF, network.authority(row.id()).orElseThrow());
        } else {
            if (reach == Reach.OUT) {
                handover.network(live, Network.RESOLV_CONF, null);
            }
            if (live.trusts()) {
                handover.distrust(live);
            }
        }
        live.told(reach);
    }

    /// What stands once it is made by this plan.
    private static EffectivePolicy policy(Plan plan) {
        return plan.policy().equals("none") ? EffectivePolicy.NONE : plan.stack().effective(1);
    }

    Reach reach(Plan plan) {
        return reach(policy(plan));
    }

    private Reach reach(EffectivePolicy policy) {
        return policy.closed() ? Reach.NONE : trusts(policy) ? Reach.TRUSTING : Reach.OUT;
    }

    private boolean trusts(EffectivePolicy policy) {
        return policy.intercepts() || !policy.closed() && network.trustsMore();
    }

    /// What there is to say of the way out where a policy is explained.
    List<String> notes() {
        return network.notes();
    }

    /// After its policy was changed. What is in quarantine stays cut off, and the guest of one that is paused hears of its resolver when it is resumed.
    void change(Handover handover, LiveBox live, SandboxRow row) {
        if (row.quarantined()) {
            return;
        }
        if (row.state() == State.RUNNING) {
            connect(handover, live, row);
        } else {
            enforce(live, row, policies.apply(row), policy -> { });
        }
    }

    private void enforce(LiveBox live, SandboxRow row, EffectivePolicy policy, Consumer<EffectivePolicy> then) {
        try {
            network.apply(place(live, row, policy));
            then.accept(policy);
        } catch (RuntimeException | Error failed) {
            network.detach(row.id());
            throw failed;
        }
    }

    /// What an earlier server had let out goes on; the guest knows its resolver.
    void reconnect(LiveBox live, SandboxRow row) {
        EffectivePolicy policy = policies.apply(row);
        network.apply(place(live, row, policy));
        live.told(reach(policy));
    }

    private static Network.Place place(LiveBox live, SandboxRow row, EffectivePolicy policy) {
        Instance instance = live.instance();
        var namespace = policy.closed() ? java.nio.file.Path.of("/nonexistent") : instance.network().orElseThrow(() -> Problem.of(
                        Code.NOT_ENFORCEABLE, "The tier " + row.isolation().tier() + " lets nothing out yet.", "Use the policy none, or the container tier.").raise());
        SandboxId from = row.forkedFrom() == null ? null : new SandboxId(row.forkedFrom());
        return new Network.Place(row.id(), row.tenant(), from, policy, namespace, instance::alive);
    }

    /// What it trusts, in PEM, if its policy intercepts or did so.
    Optional<String> authority(SandboxRow row) {
        return network.authority(row.id());
    }

    void cut(SandboxId sandbox) {
        network.detach(sandbox);
    }

    void note(SandboxId sandbox) {
        network.note(sandbox);
    }

    java.util.Optional<Network.Refused> refused(SandboxId sandbox) {
        return network.refused(sandbox);
    }

    java.util.Map<String, Object> reconciled(Handle tx, SandboxId sandbox) {
        return network.reconciled(tx, sandbox);
    }

    void forget(Handle tx, SandboxId sandbox) {
        network.forget(tx, sandbox);
    }
}
