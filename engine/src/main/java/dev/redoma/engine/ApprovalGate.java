// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.policy.ApprovalPolicy;
import dev.redoma.policy.ApprovalPolicy.Needed;
import dev.redoma.policy.Audience;
import dev.redoma.policy.EgressClass;
import dev.redoma.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Asks, before something is done in or about a sandbox, whether its policy wants humans to decide it. Where no rule does, it costs a look into memory. Thread-safe.
final class ApprovalGate {

    private final ApprovalDesk desk;
    private final Store store;
    private final Function<SandboxRow, ApprovalPolicy> rules;
    private final Masking masking;
    private final Map<SandboxId, ApprovalPolicy> known = new ConcurrentHashMap<>();

    /// `rules`: those in force for a sandbox; throws where its policy cannot be read.
    ApprovalGate(ApprovalDesk desk, Store store, Function<SandboxRow, ApprovalPolicy> rules, Masking masking) {
        this.masking = masking;
        this.desk = desk;
        this.store = store;
        this.rules = rules;
    }

    ApprovalDesk desk() {
        return desk;
    }

    private ApprovalPolicy policy(SandboxId sandbox) {
        var policy = known.get(sandbox);
        if (policy == null) {
            var row = store.read(tx -> SandboxRows.find(tx, sandbox.value())).orElseThrow(() -> Access.notFound(sandbox.value()));
            policy = rules.apply(row);
            if (row.state() != State.ENDED) {
                var there = known.putIfAbsent(sandbox, policy);
                policy = there == null ? policy : there;
            }
        }
        return policy;
    }

    /// Over what somebody who still had the old row may have put there meanwhile. One that cannot be read lets nothing happen.
    void policyChanged(SandboxRow row) {
        try {
            known.put(row.id(), rules.apply(row));
        } catch (RedomaException unreadable) {
            known.remove(row.id());
            throw unreadable;
        }
    }

    void forget(SandboxId sandbox) {
        known.remove(sandbox);
    }

    /// Something of a kind that other parts of the engine know of: `needed` picks the rules that speak of it. `exact` is all that is approved, as it is; `shown` the same for human eyes.
    ApprovalTicket require(Caller caller, SandboxId sandbox, TenantId tenant, String kind, Function<ApprovalPolicy, Optional<Needed>> needed, Map<String, Object> shown, List<String> exact) {
        return needed.apply(policy(sandbox)).map(n -> desk.require(new ApprovalAsk(kind, sandbox, tenant, caller, shown, exact, n))).orElse(ApprovalTicket.NONE);
    }

    /// Of what nobody could be asked about: a build has a sandbox of its own, which ends before anybody has decided.
    void forbidden(SandboxId sandbox, List<String> argv) {
        policy(sandbox).exec(argv).ifPresent(needed -> {
            throw Problem.of(Code.NOT_ENFORCEABLE, "Humans approve this command (" + String.join(", ", needed.rules()) + "), and a build cannot wait for them.", "Leave it out of the recipe, or ask who keeps the policy.")
                    .with("rules", needed.rules()).raise();
        });
    }

    ApprovalTicket exec(Caller caller, Live live, ExecOrder order) {
        var needed = policy(live.id()).exec(order.spec().argv());
        if (needed.isEmpty()) {
            return ApprovalTicket.NONE;
        }
        var files = ScriptDigests.of(live, order);
        var ticket = desk.require(new ApprovalAsk("exec", live.id(), live.tenant(), caller, ExecShown.of(order, files, masking.words(live.id())), ExecShown.exact(order, files), needed.get()));
        if (!ScriptDigests.of(live, order).equals(files)) {
            throw ApprovalRefusal.changed();
        }
        return ticket;
    }

    /// Whether humans decide that this port is reached: by what nobody exposed it is not.
    boolean waitsForPort(SandboxId sandbox, int port) {
        return policy(sandbox).port(port).isPresent();
    }

    ApprovalTicket port(Caller caller, SandboxRow row, int port, Audience audience, Duration time) {
        var seconds = time.toSeconds();
        return require(caller, row.id(), row.tenant(), "port", p -> p.port(port), Map.of("port", port, "audience", audience.wire(), "seconds", seconds),
                List.of(String.valueOf(port), audience.wire(), String.valueOf(time.toMillis())));
    }

    /// A change set goes back to a folder. Its sandbox may have ended.
    ApprovalTicket apply(Caller caller, SandboxRow row, ChangeSet set, List<Change> wanted, ApplyChanges asked) {
        return policy(row.id()).apply().map(n -> desk.require(new ApprovalAsk(ApprovalDesk.APPLY, row.id(), row.tenant(), caller,
                ApplyShown.of(set, wanted, asked, masking.words(row.id())), ApplyShown.exact(set, asked), n))).orElse(ApprovalTicket.NONE);
    }

    /// A connection that wants out. The sandbox asks, by the key that made it; each connection uses an approval up.
    void egress(SandboxId sandbox, EgressClass egressClass, @Nullable String host, String to, int port) {
        var needed = policy(sandbox).egress(egressClass, host);
        if (needed.isEmpty()) {
            return;
        }
        var row = store.read(tx -> SandboxRows.find(tx, sandbox.value())).orElseThrow(() -> Access.notFound(sandbox.value()));
        var caller = new Caller(row.createdBy(), row.tenant(), Set.of(Scope.EXEC));
        var ticket = desk.require(new ApprovalAsk("egress", sandbox, row.tenant(), caller, Map.of("class", egressClass.wire(), "to", Visible.of(to), "port", port),
                List.of(egressClass.wire(), to, String.valueOf(port)), needed.get()), desk.egressHold());
        store.write(tx -> {
            ticket.redeem(tx, null);
            return true;
        });
    }

    /// A fork takes the policy of its source along, and the work in it: more time than that was given is a raise as well.
    ApprovalTicket fork(Caller caller, SandboxRow from, Duration asked, Duration given) {
        if (asked.compareTo(given) <= 0) {
            return ApprovalTicket.NONE;
        }
        return require(caller, from.id(), from.tenant(), "raise", p -> p.raise("lifetime"), Map.of("resource", "lifetime", "of", "a fork", "milliseconds", asked.toMillis(), "given", given.toMillis()),
                List.of("fork", "lifetime", String.valueOf(asked.toMillis())));
    }

    ApprovalTicket lifetime(Caller caller, SandboxRow row, Duration asked, Duration given) {
        if (asked.compareTo(given) <= 0) {
            return ApprovalTicket.NONE;
        }
        return require(caller, row.id(), row.tenant(), "raise", p -> p.raise("lifetime"), Map.of("resource", "lifetime", "milliseconds", asked.toMillis(), "given", given.toMillis()),
                List.of("lifetime", String.valueOf(asked.toMillis())));
    }
}
