// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.PolicyRules.Standing;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.PolicyDifference;
import dev.redoma.model.wire.PolicyExplanation;
import dev.redoma.model.wire.PolicyProposal;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.Explainer;
import dev.redoma.policy.Learning;
import dev.redoma.policy.PolicyStack;
import dev.redoma.policy.Reaches;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Policies of sandboxes, each call authorised. Thread-safe.
final class PolicyService implements Policies {
    private static final int LEARNED = 1000;

    private final Core core;
    private final PolicyRules rules;
    private final Ledger ledger;
    private final BiConsumer<LiveBox, SandboxRow> network;
    private final Consumer<SandboxRow> previews;

    /// `network`: puts the policy that a live sandbox's row has now into force; when it throws, nothing leaves that sandbox. `previews`: ends what it no longer lets be exposed.
    PolicyService(Core core, PolicyRules rules, Ledger ledger, BiConsumer<LiveBox, SandboxRow> network, Consumer<SandboxRow> previews) {
        this.core = core;
        this.rules = rules;
        this.ledger = ledger;
        this.network = network;
        this.previews = previews;
    }

    @Override
    public PolicyExplanation explain(Caller caller, String policy) {
        return Explainer.explain(rules.asked(caller.tenant(), policy), 0, core.uplink().notes());
    }

    @Override
    public PolicyDifference difference(Caller caller, String before, String after) {
        PolicyStack from = rules.taken(caller.tenant(), before);
        PolicyStack to = rules.taken(caller.tenant(), after);
        PolicyDifference reach = Reaches.difference(from.effective(0), to.effective(0));
        PolicyDifference setUp = Reaches.difference(whileSetUp(from), whileSetUp(to));
        List<String> said = Explainer.besides(from);
        List<String> says = Explainer.besides(to);
        return new PolicyDifference(reach.opens(), reach.closes(), rulesOf(to.approvals().without(from.approvals())), rulesOf(from.approvals().without(to.approvals())), setUp.opens(), setUp.closes(),
                without(says, said), without(said, says));
    }

    private static List<String> without(List<String> lines, List<String> others) {
        return lines.stream().filter(l -> !others.contains(l)).toList();
    }

    private static EffectivePolicy whileSetUp(PolicyStack stack) {
        return stack.setUp().isPresent() ? stack.inSetUp().effective(0) : EffectivePolicy.NONE;
    }

    private static List<String> rulesOf(List<dev.redoma.policy.ApprovalRule> asked) {
        return asked.stream().map(r -> r.id() + ": " + r.says()).toList();
    }

    @Override
    public PolicyExplanation of(Caller caller, String sandbox) {
        caller.need(Scope.READ);
        return told(core.store().read(tx -> Access.visible(tx, caller, sandbox)));
    }

    private PolicyExplanation told(SandboxRow row) {
        Standing standing = rules.standing(row);
        return Explainer.explain(standing.stack(), standing.epoch(), core.uplink().notes());
    }

    @Override
    public PolicyExplanation change(Caller caller, String sandbox, String policy) {
        caller.need(Scope.CREATE);
        SandboxRow seen = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.mayUse(caller, seen);
        Access.notQuarantined(caller, seen);
        Box box = core.boxes().find(seen.id()).orElseThrow(() -> Access.ended(seen));
        PolicyStack stack = rules.asked(seen.tenant(), policy);
        return core.background().call(() -> core.boxes().locked(box, () -> changed(box, caller, stack)), nobody -> { });
    }

    /// The row first: a server that ends in between puts into force what it says. Until then the old one stands, and its connections.
    private PolicyExplanation changed(Box box, Caller caller, PolicyStack stack) {
        SandboxRow row = core.row(box);
        if (row.state() == State.ENDED || row.state() == State.CREATING) {
            throw Access.wrongState(row, "change its policy");
        }
        Access.notQuarantined(caller, row);
        PolicyTerms.of(stack).hold(row);
        stillAsked(caller, row, stack);
        SandboxRow now = core.store().write(tx -> {
            if (row.state().holdsInstance()) {
                core.holding().mayHold(tx, row.id(), stack.name(), row.mounts());
            }
            long epoch = PolicyRows.find(tx, row.id()).map(PolicyRow::epoch).orElse(0L) + 1;
            PolicyRows.put(tx, row.id(), new PolicyRow(epoch, stack.digest(), stack.sources()));
            new RowChange().policy(stack.name()).apply(tx, row.id());
            SandboxRow after = SandboxRows.get(tx, row.id());
            core.records().policy(tx, after, stack, epoch, caller.key(), "changed");
            return after;
        });
        previews.accept(now);
        LiveBox live = box.live();
        if (live != null) {
            network.accept(live, now);
        }
        return told(now);
    }

    /// What humans were to decide about a sandbox they go on deciding: only an operator takes a rule away.
    private void stillAsked(Caller caller, SandboxRow row, PolicyStack stack) {
        var dropped = caller.operator() ? List.<dev.redoma.policy.ApprovalRule>of() : rules.standing(row).stack().approvals().without(stack.approvals());
        if (!dropped.isEmpty()) {
            throw Problem.of(Code.POLICY_REFUSED, "The policy would no longer ask for the approval that " + dropped.getFirst().id() + " of the one in force wants.", "Keep that rule, or ask an operator to change the policy.")
                    .with("field", "policy").with("rule", dropped.getFirst().id()).raise();
        }
    }

    @Override
    public String written(Caller caller, NetworkWishes wishes) {
        return NetworkText.of(wishes, rules.standard());
    }

    @Override
    public NetworkWishes network(Caller caller, String sandbox) {
        PolicyExplanation inForce = of(caller, sandbox);
        return inForce.closed() ? NetworkWishes.NOTHING_LEAVES : NetworkText.wishes(inForce.sources().documents().getLast().text()).orElse(NetworkWishes.NONE);
    }

    @Override
    public PolicyProposal learn(Caller caller, String sandbox) {
        caller.need(Scope.READ);
        SandboxRow row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.mayUse(caller, row);
        core.uplink().note(row.id());
        List<AuditRecord> refused = ledger.newest(row.tenant().value(), row.id().value(), "egress", LEARNED).stream().filter(r -> r.action().endsWith(".denied")).toList();
        Standing standing = rules.standing(row);
        return Learning.propose(refused.stream().map(r -> refusal(r.fields())).toList(), standing.stack().effective(standing.epoch()));
    }

    private static Learning.Refused refusal(Map<String, Object> fields) {
        return new Learning.Refused(text(fields, "host"), text(fields, "address"), fields.get("port") instanceof Number n ? n.intValue() : 0, text(fields, "reason"), text(fields, "class"), text(fields, "rule"),
                text(fields, "method"), text(fields, "path"));
    }

    private static @Nullable String text(Map<String, Object> fields, String name) {
        return fields.get(name) instanceof String text ? text : null;
    }
}
