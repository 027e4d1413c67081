// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import dev.redoma.engine.recipe.Instruction.Pair;
import dev.redoma.model.RedomaException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// Takes values out of YAML nodes; whatever is of another kind than it should be is refused with its place.
record YamlFields(Flaws flaws) {

    /// A mapping's values by key: each key known, and there once.
    Map<String, Node> mapping(Node node, String what, Set<String> known) {
        var values = entries(node, what);
        for (var entry : ((MappingNode) node).getValue()) {
            if (entry.getKeyNode() instanceof ScalarNode key && !known.contains(key.getValue())) {
                throw at(key, "unknown key '" + Flaws.shown(key.getValue()) + "' in " + what + "; known are " + String.join(", ", known.stream().sorted().toList()));
            }
        }
        return values;
    }

    private Map<String, Node> entries(Node node, String what) {
        if (!(node instanceof MappingNode mapping)) {
            throw at(node, what + " must hold keys and values");
        }
        var values = new LinkedHashMap<String, Node>();
        for (var entry : mapping.getValue()) {
            if (!(entry.getKeyNode() instanceof ScalarNode key) || entry.getValueNode().getAnchor().isPresent()) {
                throw at(entry.getKeyNode(), "only plain keys and values are taken");
            }
            if (values.put(key.getValue(), entry.getValueNode()) != null) {
                throw at(key, "'" + Flaws.shown(key.getValue()) + "' is there twice");
            }
        }
        return values;
    }

    List<Pair> pairs(Node node, String what) {
        var pairs = new ArrayList<Pair>();
        entries(node, what).forEach((name, value) -> pairs.add(new Pair(name, text(value, what + "." + name))));
        return pairs;
    }

    String text(Node node, String what) {
        if (!(node instanceof ScalarNode scalar) || scalar.getTag().equals(Tag.NULL)) {
            throw at(node, what + " takes one value");
        }
        return scalar.getValue();
    }

    long number(Node node, String what, long least, long most) {
        var text = text(node, what);
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw at(node, what + " is '" + Flaws.shown(text) + "', not a number from " + least + " to " + most);
    }

    List<String> list(Node node, String what) {
        if (!(node instanceof SequenceNode sequence)) {
            throw at(node, what + " must be a list");
        }
        return sequence.getValue().stream().map(item -> text(item, what)).toList();
    }

    /// One value stands for a list of one.
    List<String> oneOrMore(Node node, String what) {
        return node instanceof SequenceNode ? list(node, what) : List.of(text(node, what));
    }

    /// A list of words, or one line for a shell.
    List<String> command(Node node, String what) {
        var words = node instanceof SequenceNode ? list(node, what) : List.of("/bin/sh", "-c", text(node, what));
        if (words.isEmpty() || words.getFirst().isEmpty()) {
            throw at(node, what + " names no program");
        }
        return words;
    }

    static int line(Node node) {
        return node.getStartMark().map(m -> m.getLine() + 1).orElse(0);
    }

    RedomaException at(Node node, String why) {
        return at(node.getStartMark().orElse(null), why);
    }

    RedomaException at(@Nullable Mark mark, String why) {
        return mark == null ? flaws.at(0, 0, why) : flaws.at(mark.getLine() + 1, mark.getColumn() + 1, why);
    }
}
