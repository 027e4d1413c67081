// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Finding;
import dev.redoma.model.wire.Isolation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Picks the tier for a request among those that pass on this host: by name, or for `auto` the strongest. Never a weaker one than asked.
final class TierChoice {
    private static final List<String> STRONGEST_FIRST = List.of("microvm", "gvisor", "container");
    private static final List<String> KNOWN = List.of("auto", "container", "gvisor", "microvm", "vm");

    private final Map<String, Tier> tiers = new LinkedHashMap<>();

    TierChoice(List<Tier> offered) {
        offered.forEach(t -> tiers.put(t.name(), t));
    }

    Tier choose(@Nullable String asked) {
        String wanted = RequestRules.oneOf("isolation", asked, "auto", KNOWN);
        return wanted.equals("auto") ? strongest() : working(wanted);
    }

    private Tier strongest() {
        for (String name : STRONGEST_FIRST) {
            Tier tier = tiers.get(name);
            if (tier != null && tier.probe().works()) {
                return tier;
            }
        }
        throw Problem.of(Code.NOT_OFFERED, "No isolation tier works on this host.", "See 'redoma doctor' for what is missing.")
                .with("field", "isolation").raise();
    }

    private Tier working(String name) {
        Tier tier = tiers.get(name);
        if (tier == null) {
            throw Problem.of(Code.NOT_OFFERED, "isolation: this server has no tier '" + name + "'.", "Ask for one of " + offered() + ", or auto.")
                    .with("field", "isolation").with("allowed", String.join(", ", offered())).raise();
        }
        if (!tier.probe().works()) {
            throw Problem.of(Code.NOT_ENFORCEABLE, "isolation: the tier '" + name + "' does not work on this host.", "See 'redoma doctor' for why.")
                    .with("field", "isolation").raise();
        }
        return tier;
    }

    /// The tier of a sandbox that exists.
    Tier of(SandboxRow row) {
        Tier tier = tiers.get(row.isolation().tier());
        if (tier == null) {
            throw Problem.of(Code.NOT_OFFERED, "This server no longer has the tier '" + row.isolation().tier() + "'.", "Start it with that tier.")
                    .with("tier", row.isolation().tier()).raise();
        }
        return tier;
    }

    List<Tier> all() {
        return List.copyOf(tiers.values());
    }

    private List<String> offered() {
        return tiers.values().stream().filter(t -> t.probe().works()).map(Tier::name).toList();
    }

    static Isolation facts(Tier tier) {
        Tier.Probe probe = tier.probe();
        return new Isolation(tier.name(), probe.strength(), probe.runtime(), probe.version(),
                probe.findings().stream().filter(f -> !f.status().equals("ok")).map(TierChoice::line).toList());
    }

    private static String line(Finding finding) {
        return finding.name() + ": " + finding.detail();
    }

    /// Refuses, by name, limits that the tier cannot enforce here.
    static void mustEnforce(Tier tier, InstanceLimits limits) {
        List<String> cannot = tier.unenforceable(limits).stream().map(field -> "limits." + field).toList();
        if (!cannot.isEmpty()) {
            throw Problem.of(Code.NOT_ENFORCEABLE, "This host cannot enforce " + String.join(", ", cannot) + " in the tier '" + tier.name() + "'.",
                            "Leave it out, or see 'redoma doctor'.")
                    .with("fields", cannot).raise();
        }
    }
}
