// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.wire.PolicyDifference;
import dev.redoma.model.wire.PolicyExplanation;
import dev.redoma.model.wire.PolicyReach;
import java.util.ArrayList;
import java.util.List;

/// Policies as people read them.
final class PolicyReport {
    private PolicyReport() {}

    static List<String> explanation(PolicyExplanation told) {
        var lines = new ArrayList<String>();
        lines.add("policy " + told.name() + (told.epoch() > 0 ? ", epoch " + told.epoch() : "") + ", " + told.digest());
        lines.add(told.reach().isEmpty() ? "reaches nothing" : "reaches");
        told.reach().forEach(r -> lines.add("  " + reach(r)));
        if (!told.lines().isEmpty()) {
            lines.add("lines");
            told.lines().forEach(l -> lines.add("  " + l.rule() + " from " + l.from() + ": " + l.says() + (l.effect().equals("whole") ? "" : " [" + effect(l.effect()) + "]")));
        }
        told.notes().forEach(note -> lines.add("note: " + note));
        return lines;
    }

    private static String effect(String effect) {
        return effect.equals("nothing") ? "no effect" : "narrowed by the layers around it";
    }

    /// What the layers around a policy take from it.
    static List<String> narrowed(PolicyExplanation told) {
        return told.lines().stream().filter(l -> l.rule().startsWith("request.") && !l.effect().equals("whole")).map(l -> l.rule() + " from " + l.from() + ": " + effect(l.effect())).toList();
    }

    static List<String> difference(PolicyDifference difference) {
        var lines = new ArrayList<String>();
        difference.opens().forEach(r -> lines.add("+ " + reach(r)));
        difference.closes().forEach(r -> lines.add("- " + reach(r)));
        difference.setUpOpens().forEach(r -> lines.add("+ while it is set up: " + reach(r)));
        difference.setUpCloses().forEach(r -> lines.add("- while it is set up: " + reach(r)));
        difference.asks().forEach(r -> lines.add("+ asks: " + r));
        difference.asksNoMore().forEach(r -> lines.add("- asks: " + r));
        difference.says().forEach(r -> lines.add("+ says: " + r));
        difference.saysNoMore().forEach(r -> lines.add("- says: " + r));
        if (lines.isEmpty()) {
            lines.add("no difference");
        }
        return lines;
    }

    private static String reach(PolicyReach r) {
        var text = new StringBuilder(r.egressClass()).append(' ').append(r.hosts()).append(" port ").append(r.ports());
        if (!r.to().equals(r.hosts())) {
            text.append(" at ").append(r.to());
        }
        if (!r.methods().isEmpty()) {
            text.append(' ').append(String.join(",", r.methods()));
        }
        if (!r.paths().isEmpty()) {
            text.append(' ').append(String.join(" ", r.paths()));
        }
        return text.append(" (").append(r.passage()).append("; ").append(String.join("; ", r.rules())).append(')').toString();
    }
}
