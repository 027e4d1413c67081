// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/// Reads YAML within bounds: no anchors, aliases and tags, one document, nothing deep. A first pass over the events refuses what the second, which recurses, must not meet.
final class YamlText {
    static final int LARGEST = 64 * 1024;
    private static final int DEEPEST = 12;
    private static final int MOST_NODES = 20_000;

    private YamlText() {}

    /// Empty: nothing is in it.
    static Optional<Node> root(String text) {
        if (text.length() > LARGEST) {
            throw at(null, "it has more than " + LARGEST + " characters");
        }
        var settings = LoadSettings.builder().setLabel("policy").setMaxAliasesForCollections(0).setCodePointLimit(LARGEST).build();
        try {
            check(new Parse(settings).parseString(text));
            return new Compose(settings).composeString(text);
        } catch (MarkedYamlEngineException broken) {
            throw at(broken.getProblemMark().orElse(null), Flaw.shown(broken.getProblem()));
        } catch (YamlEngineException broken) {
            throw at(null, Flaw.shown(String.valueOf(broken.getMessage())));
        }
    }

    private static void check(Iterable<Event> events) {
        int depth = 0;
        int nodes = 0;
        int documents = 0;
        for (Event event : events) {
            var mark = event.getStartMark().orElse(null);
            switch (event.getEventId()) {
                case DocumentStart -> documents++;
                case SequenceStart, MappingStart -> depth++;
                case SequenceEnd, MappingEnd -> depth--;
                case Alias -> throw at(mark, "aliases are not taken");
                default -> { }
            }
            if (documents > 1) {
                throw at(mark, "there is more than one document");
            }
            if (depth > DEEPEST || ++nodes > MOST_NODES) {
                throw at(mark, depth > DEEPEST ? "it is nested deeper than " + DEEPEST + " levels" : "it has too many parts");
            }
            if (event instanceof NodeEvent node && node.getAnchor().isPresent() || event instanceof ScalarEvent scalar && scalar.getTag().isPresent()
                    || event instanceof CollectionStartEvent collection && collection.getTag().isPresent()) {
                throw at(mark, "anchors and tags are not taken");
            }
        }
    }

    static Flaw.Found at(@Nullable Mark mark, String why) {
        return new Flaw.Found(mark == null ? new Flaw(0, 0, why, false) : new Flaw(mark.getLine() + 1, mark.getColumn() + 1, why, false));
    }
}
