// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.model.wire.PolicyExplanation;
import dev.redoma.model.wire.PolicyExplanation.Line;
import dev.redoma.model.wire.PolicyReach;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Tells what a policy lets out, where each line of it came from, and what nobody can see or exclude under it.
public final class Explainer {
    private Explainer() {}

    public static PolicyExplanation explain(PolicyStack stack, long epoch) {
        return explain(stack, epoch, List.of());
    }

    /// `way`: what is to be said of the way out where anything leaves.
    public static PolicyExplanation explain(PolicyStack stack, long epoch, List<String> way) {
        EffectivePolicy policy = stack.effective(epoch);
        List<PolicyReach> reach = Reaches.of(policy);
        return new PolicyExplanation(stack.name(), stack.digest(), epoch, policy.closed(), stack.sources(), reach, lines(stack, policy, reach), notes(stack, policy, reach, way));
    }

    /// What it says beside what can be reached and what humans are asked for: terms, previews, rates, budgets, what is kept. Each without its place.
    public static List<String> besides(PolicyStack stack) {
        EffectivePolicy policy = stack.effective(0);
        var reached = stack.documents().stream().flatMap(d -> d.rules().stream()).filter(r -> r.rate() == null && r.bytes() == null).map(Rule::id);
        var asked = stack.documents().stream().flatMap(d -> d.approve().stream()).map(ApprovalRule::id);
        var told = Stream.concat(reached, asked).collect(Collectors.toSet());
        return lines(stack, policy, Reaches.of(policy)).stream().filter(l -> !told.contains(l.rule())).map(l -> l.rule().replaceAll("\\[\\d+\\]", "") + " " + l.says()).distinct().toList();
    }

    private static List<Line> lines(PolicyStack stack, EffectivePolicy policy, List<PolicyReach> reach) {
        var used = rules(reach);
        var lines = new ArrayList<Line>();
        for (PolicyDocument document : stack.documents()) {
            terms(document, lines);
            var narrowed = rules(Reaches.opened(policy, new EffectivePolicy("alone", 0, List.of(document.egress()))));
            for (Rule rule : document.rules()) {
                String effect = rule.deny() ? "whole" : !used.contains(rule.id()) ? "nothing" : narrowed.contains(rule.id()) ? "narrowed" : "whole";
                lines.add(new Line(rule.id(), rule.place().toString(), says(rule), effect));
            }
            previews(stack, document, lines);
            document.approve().forEach(rule -> lines.add(new Line(rule.id(), rule.place().toString(), rule.says(), "whole")));
            if (!document.keeping().artifacts().isEmpty()) {
                lines.add(term(document, "artifacts", "keeps " + String.join(", ", document.keeping().artifacts())));
            }
            var longest = document.keeping().longest();
            if (longest != null) {
                lines.add(term(document, "retain.artifacts", "at most " + dev.redoma.model.Amounts.time(longest)));
            }
        }
        stack.setUp().ifPresent(setUp -> setUp(stack, setUp, lines));
        return lines;
    }

    private static void setUp(PolicyStack stack, SetUp setUp, List<Line> lines) {
        String says = "runs " + setUp.run().size() + (setUp.run().size() == 1 ? " command" : " commands") + " before anybody else can run anything, with an egress of their own that is closed behind them";
        lines.add(term(stack.documents().getLast(), "setup", setUp.rules().isEmpty() ? says.substring(0, says.indexOf(", with")) + ", while nothing leaves" : says));
        PolicyStack during = stack.inSetUp();
        EffectivePolicy policy = during.effective(0);
        var used = rules(Reaches.of(policy));
        var narrowed = rules(Reaches.opened(policy, new EffectivePolicy("alone", 0, List.of(during.documents().getLast().egress()))));
        setUp.rules().forEach(rule -> lines.add(new Line(rule.id(), rule.place().toString(), "while it is set up " + says(rule), rule.deny() ? "whole" : !used.contains(rule.id()) ? "nothing" : narrowed.contains(rule.id()) ? "narrowed" : "whole")));
    }

    private static void previews(PolicyStack stack, PolicyDocument document, List<Line> lines) {
        for (PreviewRule rule : document.preview() == null ? List.<PreviewRule>of() : document.preview()) {
            var others = stack.documents().stream().filter(d -> d != document).toList();
            boolean whole = others.stream().allMatch(d -> d.preview() == null ? rule.audience() != Audience.PUBLIC : d.preview().stream().anyMatch(o -> o.covers(rule)));
            boolean nothing = others.stream().anyMatch(d -> d.preview() != null && d.preview().stream().noneMatch(rule::meets));
            lines.add(new Line(rule.id(), rule.place().toString(), rule.says(), nothing ? "nothing" : whole ? "whole" : "narrowed"));
        }
        if (document.preview() != null && document.preview().isEmpty()) {
            lines.add(term(document, "preview", "lets nothing be exposed"));
        }
    }

    private static Set<String> rules(List<PolicyReach> reach) {
        return reach.stream().flatMap(r -> r.rules().stream()).map(r -> r.substring(0, r.indexOf(" from "))).collect(Collectors.toSet());
    }

    private static void terms(PolicyDocument d, List<Line> lines) {
        Terms t = d.terms();
        if (t.isolation() != null) {
            lines.add(term(d, "isolation", "at least the tier " + t.isolation()));
        }
        if (t.privileges() != null) {
            lines.add(term(d, "privileges", "at most " + t.privileges()));
        }
        if (t.reopen() != null) {
            lines.add(term(d, "reopen", "at most " + t.reopen()));
        }
        var l = t.limits();
        if (!l.equals(dev.redoma.model.wire.Limits.DEFAULTS)) {
            var most = new ArrayList<String>();
            most(most, "cpu", l.cpu());
            most(most, "memory", l.memoryBytes());
            most(most, "disk", l.diskBytes());
            most(most, "pids", l.pids());
            most(most, "lifetime (ms)", l.lifetimeMs());
            most(most, "idle (ms)", l.idleMs());
            lines.add(term(d, "resources", "at most " + String.join(", ", most)));
        }
    }

    private static void most(List<String> all, String name, @org.jspecify.annotations.Nullable Object value) {
        if (value != null) {
            all.add(name + " " + value);
        }
    }

    private static Line term(PolicyDocument d, String key, String says) {
        return new Line(d.layer() + "." + key, d.layer() + " (" + d.source() + ")", says, "whole");
    }

    private static String says(Rule rule) {
        var text = new StringBuilder(rule.deny() ? "denies " : "allows ").append(rule.targets().stream().map(Target::toString).collect(Collectors.joining(", ")));
        if (!rule.into().isEmpty()) {
            text.append(" in ").append(rule.into().stream().map(AddressBlock::toString).collect(Collectors.joining(", ")));
        }
        if (!rule.methods().isEmpty()) {
            text.append("; ").append(rule.methods().stream().sorted().collect(Collectors.joining(", ")));
        }
        if (!rule.paths().isEmpty()) {
            text.append("; paths ").append(rule.paths().stream().map(PathPattern::text).collect(Collectors.joining(", ")));
        }
        if (rule.rate() != null) {
            text.append("; at most ").append(rule.rate());
        }
        if (rule.bytes() != null) {
            text.append("; at most ").append(rule.bytes()).append(" bytes");
        }
        return text.append(rule.deny() ? "" : "; " + switch (rule.handling()) {
            case INTERCEPT -> "requests are seen";
            case OPAQUE -> "opaque TLS";
            case TCP -> "bytes as they are";
        }).toString();
    }

    private static List<String> notes(PolicyStack stack, EffectivePolicy policy, List<PolicyReach> reach, List<String> way) {
        var notes = new ArrayList<String>();
        if (stack.approvals().rules().stream().anyMatch(r -> r.subject() instanceof ApprovalRule.Subject.Exec)) {
            notes.add("Approval of commands is advisory: patterns do not see what a program or a script does. What leaves and what is applied is where it is enforced.");
        }
        if (stack.setUp().isPresent()) {
            notes.add("What set-up reaches is not in the list of what can be reached: it is over before the sandbox is anybody's. What set-up leaves behind, programs that run among it, stays.");
        }
        if (policy.closed()) {
            notes.add("Nothing leaves: names are answered with NXDOMAIN, connections are refused.");
            return notes;
        }
        if (reach.stream().anyMatch(r -> r.passage().equals("http"))) {
            notes.add("Requests are seen: TLS ends at the gateway, and the sandbox trusts an authority of its own. Behind a change to WebSocket bytes go as they are. Programs that pin certificates do not work.");
        }
        if (reach.stream().anyMatch(r -> r.passage().equals("http") && r.egressClass().equals("internal"))) {
            notes.add("In class internal requests are seen within TLS alone: what is plain HTTP there, on port 80 too, is refused where a rule names methods or paths.");
        }
        if (reach.stream().anyMatch(r -> r.passage().equals("tls"))) {
            notes.add("Opaque TLS: the name asked for and the SNI are checked, and the address; what is inside is not seen. Domain fronting and ECH behind an allowed host are not excluded.");
        }
        if (reach.stream().anyMatch(r -> r.passage().equals("tcp"))) {
            notes.add("Bytes as they are: the name asked for and the address are checked; what is sent there is not seen.");
        }
        if (reach.stream().anyMatch(r -> r.hosts().endsWith("addresses") || r.hosts().contains("/") || AddressBlock.address(r.hosts()).isPresent())) {
            notes.add("Addresses without names: nobody vouches for who answers there.");
        }
        if (reach.stream().anyMatch(r -> r.hosts().startsWith("*"))) {
            notes.add("Whole suffixes: whoever runs the names below one can be sent data by the names alone, as labels.");
        }
        if (reach.stream().anyMatch(r -> r.egressClass().equals("packages"))) {
            notes.add("Packages are plain hosts: which packages arrive is neither identified nor checked.");
        }
        notes.addAll(way);
        return notes;
    }
}
