// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// Takes values out of nodes; whatever is of another kind than it should be is a flaw at its place. Flaws are collected, so that one reading tells all.
final class Fields {
    private static final int MOST_FLAWS = 20;
    private final List<Flaw> flaws = new ArrayList<>();

    List<Flaw> flaws() {
        return flaws;
    }

    /// A part that is read on its own: its flaw does not keep the others from being told.
    void part(Runnable read) {
        if (flaws.size() >= MOST_FLAWS) {
            return;
        }
        try {
            read.run();
        } catch (Flaw.Found found) {
            flaws.add(found.flaw());
        }
    }

    /// A mapping's values by key, each key known and there once.
    Map<String, Node> mapping(Node node, String what, Set<String> known) {
        if (!(node instanceof MappingNode mapping)) {
            throw at(node, what + " must hold keys and values");
        }
        var values = new LinkedHashMap<String, Node>();
        for (var entry : mapping.getValue()) {
            if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                throw at(entry.getKeyNode(), "only plain keys are taken");
            }
            if (!known.contains(key.getValue())) {
                part(() -> {
                    throw at(key, "unknown key '" + Flaw.shown(key.getValue()) + "' in " + what + "; known are " + String.join(", ", known.stream().sorted().toList()));
                });
            } else if (values.put(key.getValue(), entry.getValueNode()) != null) {
                throw at(key, "'" + key.getValue() + "' is there twice");
            }
        }
        return values;
    }

    List<Node> list(Node node, String what) {
        if (!(node instanceof SequenceNode sequence)) {
            throw at(node, what + " must be a list");
        }
        return sequence.getValue();
    }

    /// One value stands for a list of one. Never empty.
    <T> List<T> values(Node node, String what, int most, Function<Node, T> each) {
        List<Node> nodes = node instanceof SequenceNode sequence ? sequence.getValue() : List.of(node);
        if (nodes.isEmpty() || nodes.size() > most) {
            throw at(node, what + (nodes.isEmpty() ? " is empty" : " has more than " + most + " values"));
        }
        return nodes.stream().map(each).toList();
    }

    String text(Node node, String what) {
        if (!(node instanceof ScalarNode scalar) || scalar.getTag().equals(Tag.NULL)) {
            throw at(node, what + " takes one value");
        }
        return scalar.getValue();
    }

    String oneOf(Node node, String what, List<String> allowed) {
        String text = text(node, what);
        if (!allowed.contains(text)) {
            throw at(node, what + " is '" + Flaw.shown(text) + "', not one of " + String.join(", ", allowed));
        }
        return text;
    }

    static Flaw.Found at(Node node, String why) {
        return YamlText.at(node.getStartMark().orElse(null), why);
    }

    /// It means something, and this version does not enforce it.
    static Flaw.Found unenforceable(Node node, String what) {
        Flaw flaw = at(node, what + " is not enforced by this version").flaw();
        return new Flaw.Found(new Flaw(flaw.line(), flaw.column(), flaw.why(), true));
    }
}
