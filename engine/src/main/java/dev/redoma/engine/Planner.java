// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.ForkSandbox;
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

    Planner(Store store, TierChoice tiers, LimitRules limits, String defaultTemplate) {
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
        var filled = limits.fill(r.limits());
        String privileges = RequestRules.oneOf("privileges", r.privileges(), "sudo", List.of("sudo", "none"));
        String reopen = RequestRules.oneOf("reopen", r.reopen(), "creator", List.of("creator", "tenant", "none"));
        String onTimeout = RequestRules.oneOf("onTimeout", r.onTimeout(), "kill", List.of("kill", "stop", "pause"));
        String policy = policy(r.policy());
        Tier tier = tiers.choose(r.isolation());
        TierChoice.mustEnforce(tier, LimitRules.enforced(filled));
        String template = r.template() == null ? defaultTemplate : r.template();
        Source source = store.read(tx -> Source.find(tx, caller, template));
        var caches = CacheTools.of(r.caches());
        var volumes = MountRules.check(r.volumes(), CacheTools.paths(caches));
        var mounts = store.read(tx -> Holding.named(tx, caller, caller.tenant(), volumes));
        return new Plan(source, tier, TierChoice.facts(tier), name, labels, over(over(source.config().environment(), CacheTools.environment(caches)), env), filled, privileges,
                policy, reopen, onTimeout, Boolean.TRUE.equals(r.untrusted()), null, mounts, caches, GitSource.wanted(r.workspace()));
    }

    /// As the source, but for what the request says; of volumes only those that it names.
    Plan fork(Caller caller, SandboxRow from, Source source, ForkSandbox r) {
        var volumes = MountRules.check(r.volumes(), List.of());
        var mounts = store.read(tx -> Holding.named(tx, caller, from.tenant(), volumes));
        var filled = limits.fill(r.limits(), from.limits());
        Tier tier = tiers.of(from);
        TierChoice.mustEnforce(tier, LimitRules.enforced(filled));
        return new Plan(source, tier, TierChoice.facts(tier), RequestRules.name("name", r.name()),
                labels(from, r), from.env(), filled, from.privileges(), from.policy(),
                from.reopen(), from.onTimeout(), from.untrusted(), from.id().value(), mounts, List.of(), null);
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

    private static String policy(@Nullable String asked) {
        if (asked != null && !asked.equals("none")) {
            throw Problem.of(Code.NOT_OFFERED, "policy: this server offers no policy '" + RequestRules.shown(asked) + "'.",
                            "Leave it out or send none: the sandbox has its loopback and no other network.")
                    .with("field", "policy").with("allowed", "none").raise();
        }
        return "none";
    }

    private static Map<String, String> over(Map<String, String> below, Map<String, String> above) {
        var all = new HashMap<>(below);
        all.putAll(above);
        return Map.copyOf(all);
    }
}
