// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/// Reads JSON into the values that `Canonical` writes, so that one undoes the other. Refuses duplicate names.
final class Json {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(80).maxStringLength(64 << 20).build())
            .build();
    private static final double EXACT = 1L << 53;

    private Json() {}

    /// Null where the text is not one JSON object.
    static @Nullable Map<String, Object> object(String text) {
        try (var in = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            var object = members(in);
            return in.nextToken() == null ? object : null;
        } catch (JacksonException malformed) {
            return null;
        }
    }

    private static Map<String, Object> members(JsonParser in) {
        var object = new LinkedHashMap<String, Object>();
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = in.currentName();
            in.nextToken();
            put(object, name, value(in));
        }
        return object;
    }

    @SuppressWarnings("NullAway") // JSON's null is kept as null
    private static void put(Map<String, Object> object, String name, @Nullable Object value) {
        object.put(name, value);
    }

    private static @Nullable Object value(JsonParser in) {
        return switch (in.currentToken()) {
            case START_OBJECT -> members(in);
            case START_ARRAY -> items(in);
            case VALUE_STRING -> in.getString();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_INT -> whole(in);
            case VALUE_NUMBER_FLOAT -> in.getDoubleValue();
            default -> null;
        };
    }

    private static Object whole(JsonParser in) {
        double near = in.getDoubleValue();
        return Math.abs(near) < EXACT ? (Object) in.getLongValue() : (Object) near;
    }

    @SuppressWarnings("NullAway") // JSON's null is kept as null
    private static List<Object> items(JsonParser in) {
        var list = new ArrayList<Object>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            list.add(value(in));
        }
        return list;
    }
}
