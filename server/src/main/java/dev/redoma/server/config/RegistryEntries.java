// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import dev.redoma.engine.image.Registries;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// The list `registries` of `redoma.yaml`.
final class RegistryEntries {
    static final String KEY = "registries";
    private static final Pattern HOST = Pattern.compile("(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\\[[0-9a-f:.]{2,45}])(?::[0-9]{1,5})?");
    private static final List<String> FIELDS = List.of("host", "plain-http", "allow-private", "ca-file", "username", "password-file", "token-hosts", "library");

    private final BiFunction<Node, String, RuntimeException> refused;

    RegistryEntries(BiFunction<Node, String, RuntimeException> refused) {
        this.refused = refused;
    }

    static boolean isHost(String text) {
        return HOST.matcher(text).matches();
    }

    void read(Node value, List<Registries.Named> into) {
        if (!(value instanceof SequenceNode list) || value.getAnchor().isPresent()) {
            throw refused.apply(value, "'" + KEY + "' must hold a list");
        }
        for (var item : list.getValue()) {
            var named = one(item);
            if (into.stream().anyMatch(n -> n.host().equals(named.host()))) {
                throw refused.apply(item, "the registry '" + named.host() + "' is there twice");
            }
            into.add(named);
        }
    }

    private Registries.Named one(Node item) {
        var fields = fields(item);
        var host = text(fields, "host");
        if (host == null || !isHost(host)) {
            throw refused.apply(item, "a registry needs a 'host' (HOST or HOST:PORT in lower case)");
        }
        var username = text(fields, "username");
        var password = text(fields, "password-file");
        if ((username == null) != (password == null)) {
            throw refused.apply(item, "'username' and 'password-file' of a registry go together");
        }
        return new Registries.Named(host, flag(fields, "plain-http"), flag(fields, "allow-private"), path(fields, "ca-file"), username, path(fields, "password-file"),
                hosts(fields.get("token-hosts")), text(fields, "library"));
    }

    private Map<String, Node> fields(Node item) {
        if (!(item instanceof MappingNode mapping)) {
            throw refused.apply(item, "a registry must hold keys and values");
        }
        var fields = new HashMap<String, Node>();
        for (var tuple : mapping.getValue()) {
            var key = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "";
            if (!FIELDS.contains(key)) {
                throw refused.apply(tuple.getKeyNode(), "unknown key '" + KEY + "." + key + "'; known are " + String.join(", ", FIELDS));
            }
            if (fields.put(key, tuple.getValueNode()) != null) {
                throw refused.apply(tuple.getKeyNode(), "'" + key + "' is there twice");
            }
        }
        return fields;
    }

    private @Nullable String text(Map<String, Node> fields, String name) {
        var node = fields.get(name);
        if (node == null) {
            return null;
        }
        if (!(node instanceof ScalarNode scalar) || scalar.getValue().isBlank()) {
            throw refused.apply(node, "'" + name + "' takes some text");
        }
        return scalar.getValue();
    }

    private boolean flag(Map<String, Node> fields, String name) {
        var text = text(fields, name);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw refused.apply(java.util.Objects.requireNonNull(fields.get(name)), "'" + name + "' takes true or false");
        }
        return "true".equals(text);
    }

    private @Nullable Path path(Map<String, Node> fields, String name) {
        var text = text(fields, name);
        if (text != null && !text.startsWith("/")) {
            throw refused.apply(java.util.Objects.requireNonNull(fields.get(name)), "'" + name + "' takes an absolute path");
        }
        return text == null ? null : Path.of(text);
    }

    private List<String> hosts(@Nullable Node node) {
        if (node == null) {
            return List.of();
        }
        if (!(node instanceof SequenceNode list)) {
            throw refused.apply(node, "'token-hosts' takes a list");
        }
        var hosts = new ArrayList<String>();
        for (var item : list.getValue()) {
            if (!(item instanceof ScalarNode scalar) || !isHost(scalar.getValue())) {
                throw refused.apply(item, "'token-hosts' takes HOST or HOST:PORT");
            }
            hosts.add(scalar.getValue());
        }
        return List.copyOf(hosts);
    }
}
