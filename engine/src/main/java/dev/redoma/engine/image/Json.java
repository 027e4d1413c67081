// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A document of an image, read with suspicion: bounded, no key twice, every field of the kind that it must have. Keys that we do not know
/// are foreign and left alone.
final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(32).maxNumberLength(20).maxStringLength(1 << 20).maxNameLength(4096).build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
            .enable(tools.jackson.databind.DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private final String what;
    private final JsonNode node;

    private Json(String what, JsonNode node) {
        this.what = what;
        this.node = node;
    }

    static Json parse(String what, byte[] text) {
        try {
            return new Json(what, MAPPER.readTree(text));
        } catch (JacksonException broken) {
            throw Refusal.image(what + " is no JSON that is taken: " + Refusal.shown(String.valueOf(broken.getOriginalMessage())), broken);
        }
    }

    private RuntimeException wrong(String field, String must) {
        return Refusal.image("'" + field + "' of " + what + " is no " + must);
    }

    private @Nullable JsonNode find(String field) {
        if (!node.isObject()) {
            throw Refusal.image(what + " is no JSON object");
        }
        var value = node.get(field);
        return value == null || value.isNull() ? null : value;
    }

    @Nullable String text(String field) {
        var value = find(field);
        if (value != null && !value.isString()) {
            throw wrong(field, "text");
        }
        return value == null ? null : value.stringValue();
    }

    String textOr(String field, String otherwise) {
        var text = text(field);
        return text == null ? otherwise : text;
    }

    long number(String field) {
        var value = find(field);
        if (value == null || !value.canConvertToLong() || !value.isIntegralNumber() || value.longValue() < 0) {
            throw wrong(field, "whole number from 0");
        }
        return value.longValue();
    }

    @Nullable Json object(String field) {
        var value = find(field);
        if (value != null && !value.isObject()) {
            throw wrong(field, "object");
        }
        return value == null ? null : new Json("'" + field + "' of " + what, value);
    }

    boolean has(String field) {
        return find(field) != null;
    }

    /// The members of a list of objects.
    List<Json> objects(String field, int most) {
        return list(field, most, item -> new Json("'" + field + "' of " + what, item));
    }

    List<String> texts(String field, int most) {
        return list(field, most, item -> {
            if (!item.isString()) {
                throw wrong(field, "list of text");
            }
            return item.stringValue();
        });
    }

    private <T> List<T> list(String field, int most, Function<JsonNode, T> each) {
        var value = find(field);
        if (value == null) {
            return List.of();
        }
        if (!value.isArray()) {
            throw wrong(field, "list");
        }
        if (value.size() > most) {
            throw Refusal.image("'" + field + "' of " + what + " has " + value.size() + " entries; at most " + most + " are taken");
        }
        var out = new ArrayList<T>();
        value.forEach(item -> out.add(each.apply(item)));
        return out;
    }

    /// The list that the document is itself.
    List<Json> items(int most) {
        if (!node.isArray() || node.size() > most) {
            throw Refusal.image(what + " is no list of at most " + most);
        }
        var out = new ArrayList<Json>();
        node.forEach(item -> out.add(new Json(what, item)));
        return out;
    }

    Map<String, String> map(String field, int most) {
        var value = object(field);
        if (value == null) {
            return Map.of();
        }
        if (value.node.size() > most) {
            throw Refusal.image("'" + field + "' of " + what + " has more than " + most + " entries");
        }
        var out = new LinkedHashMap<String, String>();
        value.node.propertyNames().forEach(name -> out.put(name, value.textOr(name, "")));
        return out;
    }

    List<String> keys(String field, int most) {
        var value = object(field);
        if (value == null) {
            return List.of();
        }
        if (value.node.size() > most) {
            throw Refusal.image("'" + field + "' of " + what + " has more than " + most + " entries");
        }
        return List.copyOf(value.node.propertyNames());
    }
}
