// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/// Reads a policy file (docs/policy.md). Every key that a policy has is known; one whose meaning is not enforced by this version is refused by name, as is what nobody knows.
public final class PolicyFile {
    private static final Set<String> KEYS = Set.of("isolation", "privileges", "resources", "workspace", "reopen", "setup", "egress", "preview", "secrets", "approve", "artifacts", "retain");
    private static final List<String> NOT_YET = List.of("workspace", "secrets");
    private static final Set<String> RESOURCES = Set.of("cpu", "memory", "disk", "pids", "lifetime", "idle");
    private static final Set<String> RETAIN = Set.of("audit", "artifacts", "snapshots");
    private static final Set<String> CLASSES = Set.of("packages", "web", "git", "internal", "webhooks");
    private static final Pattern TIME = Pattern.compile("([0-9]{1,6})(s|m|h|d)");
    private static final int MOST_RULES = 256;

    private final Fields fields = new Fields();
    private final String layer;
    private final String source;
    private final List<Rule> rules = new ArrayList<>();
    private Terms terms = Terms.NONE;
    private @Nullable List<PreviewRule> preview;
    private @Nullable List<ApprovalRule> approve;
    private Keeping keeping = Keeping.NONE;
    private @Nullable SetUp setUp;

    private PolicyFile(String layer, String source) {
        this.layer = layer;
        this.source = source;
    }

    /// Throws `policy-invalid`, or `not-enforceable` where it only asks for what is not enforced; each flaw with its line and column.
    public static PolicyDocument read(String layer, String source, String text) {
        var file = new PolicyFile(layer, Flaw.shown(source));
        file.fields.part(() -> YamlText.root(text).ifPresent(file::document));
        if (!file.fields.flaws().isEmpty()) {
            throw refused(file.source, file.fields.flaws());
        }
        return new PolicyDocument(layer, file.source, text, file.terms, file.rules, file.preview, file.approve == null ? List.of() : file.approve, file.setUp, file.keeping);
    }

    private static RedomaException refused(String source, List<Flaw> flaws) {
        boolean known = flaws.stream().allMatch(Flaw::unenforceable);
        Flaw first = flaws.getFirst();
        String more = flaws.size() > 1 ? " (and " + (flaws.size() - 1) + " more)" : "";
        var problem = Problem.of(known ? Code.NOT_ENFORCEABLE : Code.POLICY_INVALID, first.at(source) + "." + more, known ? "Leave it out: docs/policy.md says what is enforced." : "Correct it there; docs/policy.md says what is taken.")
                .with("problems", flaws.stream().map(f -> f.at(source)).toList());
        if (known) {
            problem = problem.at(dev.redoma.model.Layer.POLICY);
        }
        return (first.line() > 0 ? problem.with("line", first.line()).with("column", first.column()) : problem).raise();
    }

    private void document(Node root) {
        Map<String, Node> keys = fields.mapping(root, "the policy", KEYS);
        for (String key : NOT_YET) {
            Node node = keys.get(key);
            if (node != null) {
                fields.part(() -> {
                    throw Fields.unenforceable(node, "'" + key + "'");
                });
            }
        }
        var isolation = part(keys, "isolation", this::isolation);
        var privileges = part(keys, "privileges", node -> fields.oneOf(node, "privileges", Terms.PRIVILEGES));
        var reopen = part(keys, "reopen", node -> fields.oneOf(node, "reopen", Terms.REOPEN));
        var limits = part(keys, "resources", this::resources);
        terms = new Terms(isolation, privileges, limits == null ? Limits.DEFAULTS : limits, reopen);
        part(keys, "egress", this::egress);
        setUp = part(keys, "setup", node -> new SetUpReader(fields, layer, source).read(node));
        var artifacts = part(keys, "artifacts", node -> fields.values(node, "artifacts", 64, this::pattern));
        var longest = part(keys, "retain", this::retain);
        keeping = new Keeping(artifacts == null ? List.of() : artifacts, longest);
        preview = part(keys, "preview", node -> new PreviewReader(fields, layer, source).read(node));
        approve = part(keys, "approve", node -> new ApprovalReader(fields, layer, source).read(node));
    }

    private <T> @Nullable T part(Map<String, Node> keys, String key, java.util.function.Function<Node, T> read) {
        Node node = keys.get(key);
        if (node == null) {
            return null;
        }
        var got = new ArrayList<T>();
        fields.part(() -> got.add(read.apply(node)));
        return got.isEmpty() ? null : got.getFirst();
    }

    private String pattern(Node node) {
        String text = fields.text(node, "artifacts");
        if (text.isBlank() || text.length() > 1024) {
            throw Fields.at(node, "artifacts has what is no pattern such as reports/** or *.png");
        }
        return text;
    }

    private @Nullable Duration retain(Node node) {
        Map<String, Node> keys = fields.mapping(node, "retain", RETAIN);
        for (String key : List.of("audit", "snapshots")) {
            Node later = keys.get(key);
            if (later != null) {
                fields.part(() -> {
                    throw Fields.unenforceable(later, "'retain." + key + "'");
                });
            }
        }
        return part(keys, "artifacts", n -> Duration.ofMillis(time(fields, n, "retain.artifacts")));
    }

    private String isolation(Node node) {
        Node min = fields.mapping(node, "isolation", Set.of("min")).get("min");
        if (min == null) {
            throw Fields.at(node, "isolation needs min");
        }
        String tier = fields.oneOf(min, "isolation.min", List.of("container", "gvisor", "microvm", "vm", "auto"));
        return tier.equals("auto") ? "container" : tier;
    }

    private Limits resources(Node node) {
        Map<String, Node> keys = fields.mapping(node, "resources", RESOURCES);
        return new Limits(part(keys, "cpu", this::cores), size(keys, "memory"), size(keys, "disk"), part(keys, "pids", n -> number(n, "resources.pids")), null, null, null,
                time(keys, "lifetime"), time(keys, "idle"));
    }

    private double cores(Node node) {
        String text = fields.text(node, "resources.cpu");
        if (!text.matches("[0-9]{1,4}(\\.[0-9]{1,3})?") || Double.parseDouble(text) <= 0) {
            throw Fields.at(node, "resources.cpu is '" + Flaw.shown(text) + "', not a number of cores");
        }
        return Double.parseDouble(text);
    }

    private long number(Node node, String what) {
        String text = fields.text(node, what);
        if (!text.matches("[1-9][0-9]{0,9}")) {
            throw Fields.at(node, what + " is '" + Flaw.shown(text) + "', not a number");
        }
        return Long.parseLong(text);
    }

    private @Nullable Long size(Map<String, Node> keys, String key) {
        return part(keys, key, node -> size(fields, node, "resources." + key));
    }

    static long size(Fields fields, Node node, String what) {
        try {
            long bytes = Bytes.parse(what, fields.text(node, what)).value();
            if (bytes > 0) {
                return bytes;
            }
        } catch (RedomaException unfit) {
            throw Fields.at(node, what + " is '" + Flaw.shown(fields.text(node, what)) + "', not a size such as 512MiB or 2GiB");
        }
        throw Fields.at(node, what + " is nothing");
    }

    private @Nullable Long time(Map<String, Node> keys, String key) {
        return part(keys, key, node -> time(fields, node, "resources." + key));
    }

    /// In milliseconds.
    static long time(Fields fields, Node node, String what) {
        String text = fields.text(node, what);
        var found = TIME.matcher(text);
        if (!found.matches() || Long.parseLong(found.group(1)) == 0) {
            throw Fields.at(node, what + " is '" + Flaw.shown(text) + "', not a time such as 30s, 15m or 1h");
        }
        return Long.parseLong(found.group(1)) * switch (found.group(2)) {
            case "s" -> 1_000L;
            case "m" -> 60_000L;
            case "h" -> 3_600_000L;
            default -> 86_400_000L;
        };
    }

    private boolean egress(Node node) {
        Map<String, Node> classes = fields.mapping(node, "egress", CLASSES);
        for (EgressClass c : EgressClass.values()) {
            Node list = classes.get(c.wire());
            if (list != null) {
                fields.part(() -> rules(c, list));
            }
        }
        return true;
    }

    private void rules(EgressClass c, Node list) {
        if (c == EgressClass.GIT || c == EgressClass.WEBHOOKS) {
            throw Fields.unenforceable(list, "the class '" + c.wire() + "'");
        }
        List<Node> nodes = fields.list(list, "egress." + c.wire());
        var reader = new RuleReader(fields, layer, source, c);
        for (int i = 0; i < nodes.size(); i++) {
            int index = i;
            if (rules.size() >= MOST_RULES) {
                throw Fields.at(nodes.get(i), "there are more than " + MOST_RULES + " rules");
            }
            fields.part(() -> rules.add(reader.read(nodes.get(index), index)));
        }
    }
}
