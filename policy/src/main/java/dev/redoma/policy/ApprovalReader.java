// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.policy.ApprovalRule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.Node;

/// Reads `approve`: `[{exec: ["git push*"], by: 1, within: 30m}, {egress: {class: internal}}, {port: any}, {raise: lifetime}, {apply: true}]`.
record ApprovalReader(Fields fields, String layer, String source) {
    private static final List<String> SUBJECTS = List.of("exec", "egress", "port", "raise", "apply", "package", "secret");
    private static final Set<String> NOT_YET = Set.of("package", "secret");
    private static final Set<String> KEYS = new LinkedHashSet<>(SUBJECTS);
    private static final Duration STANDARD = Duration.ofMinutes(30);
    private static final Duration MOST_TIME = Duration.ofDays(7);
    private static final int MOST = 64;
    private static final int LONGEST = 256;

    static {
        KEYS.addAll(List.of("by", "within"));
    }

    List<ApprovalRule> read(Node list) {
        List<Node> nodes = fields.list(list, "approve");
        if (nodes.size() > MOST) {
            throw Fields.at(list, "there are more than " + MOST + " rules");
        }
        var rules = new ArrayList<ApprovalRule>();
        for (int i = 0; i < nodes.size(); i++) {
            int index = i;
            fields.part(() -> rules.add(rule(nodes.get(index), index)));
        }
        return List.copyOf(rules);
    }

    private ApprovalRule rule(Node node, int index) {
        Map<String, Node> keys = fields.mapping(node, "approve[" + index + "]", KEYS);
        var about = keys.entrySet().stream().filter(e -> SUBJECTS.contains(e.getKey())).toList();
        if (about.size() != 1) {
            throw Fields.at(node, "it is about one of " + String.join(", ", SUBJECTS));
        }
        var subject = subject(about.getFirst().getKey(), about.getFirst().getValue());
        Node voices = keys.get("by");
        int by = voices == null ? 1 : Integer.parseInt(fields.oneOf(voices, "by", List.of("1", "2", "3", "4", "5")));
        Node time = keys.get("within");
        var within = time == null ? STANDARD : within(time);
        var place = node.getStartMark().map(m -> new Rule.Place(layer, source, m.getLine() + 1, m.getColumn() + 1)).orElseGet(() -> new Rule.Place(layer, source, 0, 0));
        return new ApprovalRule(layer + ".approve[" + index + "]", subject, by, within, place);
    }

    private Duration within(Node node) {
        var within = Duration.ofMillis(PolicyFile.time(fields, node, "within"));
        if (within.compareTo(MOST_TIME) > 0) {
            throw Fields.at(node, "within is more than 7d");
        }
        return within;
    }

    private Subject subject(String about, Node node) {
        if (NOT_YET.contains(about)) {
            throw Fields.unenforceable(node, "approval of '" + about + "'");
        }
        return switch (about) {
            case "exec" -> new Subject.Exec(fields.values(node, "exec", 64, this::command));
            case "egress" -> egress(node);
            case "port" -> new Subject.Port(new Ports(fields.values(node, "port", 64, n -> RuleReader.ports(fields, n)).stream().flatMap(p -> p.ranges().stream()).toList()));
            case "raise" -> new Subject.Raise(Set.copyOf(fields.values(node, "raise", 8, this::resource)));
            case "apply" -> apply(node);
            default -> throw new IllegalStateException(about);
        };
    }

    private CommandPattern command(Node node) {
        String text = fields.text(node, "exec");
        if (text.isBlank() || text.length() > LONGEST) {
            throw Fields.at(node, "exec takes words of a command, with * for anything, of at most " + LONGEST + " characters");
        }
        return new CommandPattern(text);
    }

    private Subject egress(Node node) {
        Map<String, Node> keys = fields.mapping(node, "egress", Set.of("hosts", "class"));
        if (keys.isEmpty()) {
            throw Fields.at(node, "egress needs hosts or class");
        }
        Node named = keys.get("hosts");
        var hosts = named == null ? List.<HostPattern>of(new HostPattern.Any()) : fields.values(named, "hosts", 64, this::host);
        Node of = keys.get("class");
        var classes = of == null ? List.<EgressClass>of() : fields.values(of, "class", 8, n -> EgressClass.valueOf(fields.oneOf(n, "class", Arrays.stream(EgressClass.values()).map(EgressClass::wire).toList()).toUpperCase(java.util.Locale.ROOT)));
        if (classes.contains(EgressClass.GIT) || classes.contains(EgressClass.WEBHOOKS)) {
            throw Fields.unenforceable(node, "the classes git and webhooks");
        }
        return new Subject.Egress(hosts, Set.copyOf(classes));
    }

    private HostPattern host(Node node) {
        String text = fields.text(node, "hosts");
        return HostPattern.parse(text).orElseThrow(() -> Fields.at(node, "'" + Flaw.shown(text) + "' is not the name of a host"));
    }

    private String resource(Node node) {
        String text = fields.oneOf(node, "raise", List.of("lifetime", "cpu", "memory", "disk", "pids", "idle"));
        if (!text.equals("lifetime")) {
            throw Fields.unenforceable(node, "approval of more " + text + ", which no sandbox gets while it lives,");
        }
        return text;
    }

    private Subject apply(Node node) {
        fields.oneOf(node, "apply", List.of("true"));
        return new Subject.Apply();
    }
}
