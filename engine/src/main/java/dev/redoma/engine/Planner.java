// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Workspace;
import dev.redoma.policy.ApprovalRule;
import dev.redoma.policy.PolicyStack;
import dev.redoma.pool.Artifacts;
import dev.redoma.store.Store;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Decides every value of a create or fork before anything is made; what cannot be had is refused by the name of its field.
final class Planner {
    private final Store store;
    private final TierChoice tiers;
    private final LimitRules limits;
    private final String defaultTemplate;
    private final PolicyRules policies;
    private final Limits defaults;
    private final Redactions redactions;

    Planner(Store store, TierChoice tiers, LimitRules limits, String defaultTemplate, PolicyRules policies, Limits defaults, Redactions redactions) {
        this.redactions = redactions;
        this.policies = policies;
        this.defaults = defaults;
        this.store = store;
        this.tiers = tiers;
        this.limits = limits;
        this.defaultTemplate = defaultTemplate;
    }

    Plan create(Caller caller, CreateSandbox r) {
        String name = RequestRules.name("name", r.name());
        if (Boolean.TRUE.equals(r.getOrCreate()) && name == null) {
            throw Problem.field("getOrCreate", "needs a name", "a name with it");
        }
        var labels = RequestRules.labels(r.labels());
        var env = RequestRules.env(r.env());
        PolicyStack stack = policies.asked(caller.tenant(), r.policy());
        PolicyTerms terms = PolicyTerms.of(stack);
        var filled = limits.fill(terms.limits(r.limits(), defaults));
        String privileges = terms.privileges(given("privileges", r.privileges(), "sudo", List.of("sudo", "none")), "sudo");
        String reopen = terms.reopen(given("reopen", r.reopen(), "creator", List.of("creator", "tenant", "none")), "creator");
        String onTimeout = RequestRules.oneOf("onTimeout", r.onTimeout(), "kill", List.of("kill", "stop", "pause", "sleep"));
        Tier tier = tiers.choose(r.isolation());
        terms.isolation(tier);
        TierChoice.mustEnforce(tier, LimitRules.enforced(filled));
        Workspace workspace = GitSource.wanted(r.workspace());
        if (workspace != null && stack.setUp().isPresent()) {
            throw Problem.of(Code.NOT_ENFORCEABLE, "workspace.from: a policy with 'setup' runs before git fills a workspace, and would not see it.",
                            "Clone in the set-up itself, by 'setup.run' and 'setup.egress', or leave one of them out.")
                    .at(dev.redoma.model.Layer.POLICY).with("field", "workspace.from").raise();
        }
        if (stack.setUp().isPresent() && stack.approvals().rules().stream().anyMatch(rule -> rule.subject() instanceof ApprovalRule.Subject.Exec)) {
            throw Problem.of(Code.NOT_ENFORCEABLE, "policy: humans approve commands under it, and nobody would be asked about those of 'setup'.", "Leave one of them out.")
                    .at(dev.redoma.model.Layer.POLICY).with("field", "policy").raise();
        }
        if (workspace != null) {
            GitSource.of(workspace.from()).remote().ifPresent(remote -> GitReach.mustLead(stack.effective(1), remote));
        }
        var artifacts = r.artifacts() == null ? List.<String>of() : Artifacts.checked(r.artifacts());
        var caches = CacheTools.of(r.caches());
        var volumes = MountRules.check(r.volumes(), CacheTools.paths(caches));
        var mounts = store.read(tx -> Holding.named(tx, caller, caller.tenant(), volumes));
        // The last of all: whoever asks for a sandbox that is there needs no template.
        String template = r.template();
        Source source = store.read(tx -> template == null ? Source.standard(tx, caller, defaultTemplate) : Source.find(tx, caller, template));
        return new Plan(source, tier, TierChoice.facts(tier), name, labels, over(over(source.config().environment(), CacheTools.environment(caches)), env), filled, privileges,
                stack, reopen, onTimeout, Boolean.TRUE.equals(r.untrusted()), null, mounts, caches, workspace, artifacts, RedactRules.check(r.redact()));
    }

    /// As the source, with all that is masked of it, but for what the request says; of volumes only those that it names.
    Plan fork(Caller caller, SandboxRow from, Source source, ForkSandbox r) {
        var volumes = MountRules.check(r.volumes(), List.of());
        var mounts = store.read(tx -> Holding.named(tx, caller, from.tenant(), volumes));
        PolicyStack stack = inherited(from);
        var filled = limits.fill(PolicyTerms.of(stack).limits(r.limits(), from.limits()), from.limits());
        Tier tier = tiers.of(from);
        TierChoice.mustEnforce(tier, LimitRules.enforced(filled));
        return new Plan(source, tier, TierChoice.facts(tier), RequestRules.name("name", r.name()),
                labels(from, r), from.env(), filled, from.privileges(), stack,
                from.reopen(), from.onTimeout(), from.untrusted(), from.id().value(), mounts, List.of(), null, List.of(),
                store.read(tx -> redactions.of(tx, from.id().value())).orElse(null));
    }

    private static Map<String, String> labels(SandboxRow from, ForkSandbox r) {
        if (r.labels() == null) {
            return from.labels();
        }
        var labels = new HashMap<>(RequestRules.labels(r.labels()));
        from.labels().forEach((name, value) -> {
            if (name.startsWith(RequestRules.OWN)) {
                labels.put(name, value);
            }
        });
        return Map.copyOf(labels);
    }

    /// Null stays null; anything else must be one of those.
    private static @Nullable String given(String field, @Nullable String asked, String standard, List<String> allowed) {
        String value = RequestRules.oneOf(field, asked, standard, allowed);
        return asked == null ? null : value;
    }

    /// A fork has its source's policy, under the floors of today.
    private PolicyStack inherited(SandboxRow from) {
        PolicyStack stack = policies.checked(from);
        PolicyTerms.of(stack).hold(from);
        return stack;
    }

    private static Map<String, String> over(Map<String, String> below, Map<String, String> above) {
        var all = new HashMap<>(below);
        all.putAll(above);
        return Map.copyOf(all);
    }
}
