// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.Node;

/// Reads `preview`: `[{port: 3000, audience: tenant, ttl: 1h}]`.
record PreviewReader(Fields fields, String layer, String source) {
    private static final Set<String> KEYS = Set.of("port", "ports", "audience", "ttl");
    private static final int MOST = 256;

    /// An empty list lets nothing be exposed.
    List<PreviewRule> read(Node list) {
        List<Node> nodes = fields.list(list, "preview");
        if (nodes.size() > MOST) {
            throw Fields.at(list, "there are more than " + MOST + " rules");
        }
        var rules = new ArrayList<PreviewRule>();
        for (int i = 0; i < nodes.size(); i++) {
            int index = i;
            fields.part(() -> rules.add(rule(nodes.get(index), index)));
        }
        return List.copyOf(rules);
    }

    private PreviewRule rule(Node node, int index) {
        Map<String, Node> keys = fields.mapping(node, "preview[" + index + "]", KEYS);
        Node named = keys.containsKey("port") ? keys.get("port") : keys.get("ports");
        if (named == null || keys.containsKey("port") && keys.containsKey("ports")) {
            throw Fields.at(node, "it has a port or ports, one of them");
        }
        var ranges = fields.values(named, "ports", 64, n -> RuleReader.ports(fields, n));
        Node audience = keys.get("audience");
        Audience most = audience == null ? Audience.TOKEN
                : Audience.of(fields.oneOf(audience, "audience", Arrays.stream(Audience.values()).map(Audience::wire).toList())).orElseThrow();
        Node ttl = keys.get("ttl");
        var place = node.getStartMark().map(m -> new Rule.Place(layer, source, m.getLine() + 1, m.getColumn() + 1)).orElseGet(() -> new Rule.Place(layer, source, 0, 0));
        return new PreviewRule(layer + ".preview[" + index + "]", new Ports(ranges.stream().flatMap(p -> p.ranges().stream()).toList()), most,
                ttl == null ? null : Duration.ofMillis(PolicyFile.time(fields, ttl, "ttl")), place);
    }
}
