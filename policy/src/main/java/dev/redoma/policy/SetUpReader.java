// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.nodes.Node;

/// Reads `setup`. Its rules are those of a layer beside that of the document.
record SetUpReader(Fields fields, String layer, String source) {
    private static final int MOST_COMMANDS = 32;
    private static final int LONGEST = 8192;
    private static final int MOST_RULES = 256;

    /// The layer of its rules.
    static String layer(String document) {
        return document + ".setup";
    }

    SetUp read(Node node) {
        if (!layer.equals("request")) {
            throw Fields.at(node, "'setup' is of a sandbox's own policy: a floor runs nothing");
        }
        Map<String, Node> keys = fields.mapping(node, "setup", Set.of("run", "egress"));
        Node run = keys.get("run");
        if (run == null) {
            throw Fields.at(node, "setup needs run");
        }
        List<String> commands = fields.values(run, "setup.run", MOST_COMMANDS, this::command);
        if (commands.isEmpty()) {
            throw Fields.at(run, "setup.run has no command");
        }
        var rules = new ArrayList<Rule>();
        Node egress = keys.get("egress");
        if (egress != null) {
            Map<String, Node> classes = fields.mapping(egress, "setup.egress", Arrays.stream(EgressClass.values()).map(EgressClass::wire).collect(Collectors.toSet()));
            for (EgressClass c : EgressClass.values()) {
                Node list = classes.get(c.wire());
                if (list != null) {
                    fields.part(() -> rules(c, list, rules));
                }
            }
        }
        return new SetUp(commands, rules);
    }

    private String command(Node node) {
        String text = fields.text(node, "setup.run");
        if (text.isBlank() || text.length() > LONGEST || text.indexOf('\0') >= 0) {
            throw Fields.at(node, "setup.run has a command that is empty, longer than " + LONGEST + " characters, or none");
        }
        return text;
    }

    private void rules(EgressClass c, Node list, List<Rule> rules) {
        if (c == EgressClass.GIT || c == EgressClass.WEBHOOKS) {
            throw Fields.unenforceable(list, "the class '" + c.wire() + "'");
        }
        var reader = new RuleReader(fields, layer(layer), source, c);
        List<Node> nodes = fields.list(list, "setup.egress." + c.wire());
        if (rules.size() + nodes.size() > MOST_RULES) {
            throw Fields.at(list, "there are more than " + MOST_RULES + " rules");
        }
        for (int i = 0; i < nodes.size(); i++) {
            int index = i;
            fields.part(() -> rules.add(reader.read(nodes.get(index), index)));
        }
    }
}
