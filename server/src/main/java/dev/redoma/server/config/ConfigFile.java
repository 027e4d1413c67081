// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.engine.image.Registries;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/// Reads `redoma.yaml`: known keys once each, everything else is an error with its place. Anchors and aliases are off.
final class ConfigFile {
    private final String name;
    private final Map<ConfigKey, Given> given = new EnumMap<>(ConfigKey.class);
    private final List<Registries.Named> registries = new ArrayList<>();

    private ConfigFile(String name) {
        this.name = name;
    }

    /// A value as written, and where.
    record Given(String text, String where) {}

    /// What a file holds: values of keys, and the list `registries`.
    record Content(Map<ConfigKey, Given> given, List<Registries.Named> registries) {
        static final Content NONE = new Content(Map.of(), List.of());
    }

    static Content read(String name, String yaml) {
        var file = new ConfigFile(name);
        var settings = LoadSettings.builder().setLabel(name).setMaxAliasesForCollections(0).setCodePointLimit(1 << 20).build();
        try {
            new Compose(settings).composeString(yaml).ifPresent(root -> file.mapping("", root));
        } catch (MarkedYamlEngineException broken) {
            throw file.refused(broken.getProblemMark().orElse(null), broken.getProblem());
        } catch (YamlEngineException broken) {
            throw file.refused(null, String.valueOf(broken.getMessage()));
        }
        return new Content(file.given, List.copyOf(file.registries));
    }

    private void mapping(String prefix, Node node) {
        if (!(node instanceof MappingNode mapping)) {
            throw refused(mark(node), "'" + (prefix.isEmpty() ? "the file" : prefix.substring(0, prefix.length() - 1)) + "' must hold keys and values");
        }
        for (var tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key) || tuple.getValueNode().getAnchor().isPresent()) {
                throw refused(mark(tuple.getKeyNode()), "only plain keys and values are taken");
            }
            entry(prefix + key.getValue(), key, tuple.getValueNode());
        }
    }

    private void entry(String path, ScalarNode key, Node value) {
        if (path.equals(RegistryEntries.KEY)) {
            new RegistryEntries((node, why) -> refused(mark(node), why)).read(value, registries);
            return;
        }
        var known = find(path);
        if (known == null && !isGroup(path)) {
            throw refused(mark(key), "unknown key '" + path + "'");
        }
        if (known == null) {
            mapping(path + ".", value);
            return;
        }
        if (!(value instanceof ScalarNode scalar)) {
            throw refused(mark(value), "'" + path + "' takes one value");
        }
        if (given.put(known, new Given(scalar.getValue(), place(mark(value)))) != null) {
            throw refused(mark(key), "'" + path + "' is there twice");
        }
    }

    private static @org.jspecify.annotations.Nullable ConfigKey find(String path) {
        for (var key : ConfigKey.values()) {
            if (key.path().equals(path)) {
                return key;
            }
        }
        return null;
    }

    private static boolean isGroup(String path) {
        for (var key : ConfigKey.values()) {
            if (key.path().startsWith(path + ".")) {
                return true;
            }
        }
        return false;
    }

    private static @org.jspecify.annotations.Nullable Mark mark(Node node) {
        return node.getStartMark().orElse(null);
    }

    private String place(@org.jspecify.annotations.Nullable Mark mark) {
        return mark == null ? name : name + ", line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1);
    }

    private RedomaException refused(@org.jspecify.annotations.Nullable Mark mark, String why) {
        return Problem.of(Code.INVALID_FIELD, place(mark) + ": " + why + ".", "See docs/configuration.md for the keys.").raise();
    }
}
