// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http.connect;

import dev.redoma.model.Problem;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A message in the JSON form of protobuf: fields by their lowerCamelCase or original name, unknown ones ignored, absent ones at their default.
public final class Message {
    private static final JsonMapper LENIENT = JsonMapper.builder(
                    JsonFactory.builder().streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(32).maxStringLength(64 << 20).build()).build())
            .build();

    private final JsonNode node;

    private Message(JsonNode node) {
        this.node = node;
    }

    static Message parse(byte[] json) {
        try {
            var node = json.length == 0 ? LENIENT.createObjectNode() : LENIENT.readTree(json);
            if (!node.isObject()) {
                throw Messages.malformed("the message is no JSON object");
            }
            return new Message(node);
        } catch (JacksonException broken) {
            throw Messages.malformed("the message is no JSON: " + broken.getOriginalMessage());
        }
    }

    private @Nullable JsonNode at(String field) {
        var found = node.get(field);
        if (found == null) {
            found = node.get(snake(field));
        }
        return found == null || found.isNull() ? null : found;
    }

    private static String snake(String camel) {
        var out = new StringBuilder();
        camel.chars().forEach(c -> {
            if (c >= 'A' && c <= 'Z') {
                out.append('_').append((char) (c + 32));
            } else {
                out.append((char) c);
            }
        });
        return out.toString();
    }

    public boolean has(String field) {
        return at(field) != null;
    }

    public @Nullable Message message(String field) {
        var found = at(field);
        if (found == null) {
            return null;
        }
        if (!found.isObject()) {
            throw wrong(field, "a message");
        }
        return new Message(found);
    }

    public @Nullable String optional(String field) {
        var found = at(field);
        if (found == null) {
            return null;
        }
        if (!found.isString()) {
            throw wrong(field, "a string");
        }
        return found.stringValue();
    }

    public String text(String field) {
        var found = optional(field);
        return found == null ? "" : found;
    }

    public List<String> texts(String field) {
        var found = at(field);
        if (found == null) {
            return List.of();
        }
        var all = new ArrayList<String>();
        for (var item : found) {
            if (!item.isString()) {
                throw wrong(field, "a list of strings");
            }
            all.add(item.stringValue());
        }
        return all;
    }

    public Map<String, String> map(String field) {
        var found = at(field);
        if (found == null) {
            return Map.of();
        }
        var all = new LinkedHashMap<String, String>();
        found.properties().forEach(e -> {
            if (!e.getValue().isString()) {
                throw wrong(field, "a map of strings");
            }
            all.put(e.getKey(), e.getValue().stringValue());
        });
        return all;
    }

    public @Nullable Boolean flag(String field) {
        var found = at(field);
        if (found == null) {
            return null;
        }
        if (!found.isBoolean()) {
            throw wrong(field, "true or false");
        }
        return found.booleanValue();
    }

    public boolean set(String field) {
        return Boolean.TRUE.equals(flag(field));
    }

    /// A number, or its decimal text.
    public long number(String field) {
        var found = at(field);
        if (found == null) {
            return 0;
        }
        if (found.isIntegralNumber() && found.canConvertToLong()) {
            return found.longValue();
        }
        if (found.isString() && found.stringValue().matches("-?[0-9]{1,18}")) {
            return Long.parseLong(found.stringValue());
        }
        throw wrong(field, "a whole number");
    }

    /// The name of an enum's value, or its number as text.
    public String choice(String field) {
        var found = at(field);
        return found == null ? "" : found.isString() ? found.stringValue() : found.asString();
    }

    /// Base64, of the standard alphabet or the one for URLs, padded or not.
    public byte @Nullable [] bytes(String field) {
        var text = optional(field);
        if (text == null) {
            return null;
        }
        try {
            return text.indexOf('-') >= 0 || text.indexOf('_') >= 0 ? Base64.getUrlDecoder().decode(text) : Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException odd) {
            throw wrong(field, "Base64");
        }
    }

    private static dev.redoma.model.RedomaException wrong(String field, String expected) {
        return Problem.field(field, "is of another kind", expected);
    }
}
