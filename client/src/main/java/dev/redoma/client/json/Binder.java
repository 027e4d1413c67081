// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.json;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Fits parsed JSON to the type of a record component: no number becomes a string, no fraction an integer. An absent list or map is empty.
final class Binder {
    private Binder() {}

    static @Nullable Object bind(@Nullable Object value, Type type, String place) {
        if (type instanceof ParameterizedType generic) {
            return generic(value, generic, place);
        }
        var raw = (Class<?>) type;
        if (value == null) {
            return absent(raw, place);
        }
        if (raw.isRecord()) {
            return value instanceof Map<?, ?> map ? Shape.of(raw).make(map, raw, place) : wrong(place, "an object");
        }
        return scalar(value, raw, place);
    }

    private static @Nullable Object absent(Class<?> raw, String place) {
        return raw.isPrimitive() ? wrong(place, "a value") : null;
    }

    private static Object scalar(Object value, Class<?> raw, String place) {
        return switch (raw.getName()) {
            case "java.lang.String" -> value instanceof String s ? s : wrong(place, "a string");
            case "java.lang.Object" -> value;
            case "boolean", "java.lang.Boolean" -> value instanceof Boolean b ? b : wrong(place, "true or false");
            case "long", "java.lang.Long" -> value instanceof Long n ? n : wrong(place, "a whole number");
            case "int", "java.lang.Integer" -> integer(value, place);
            case "double", "java.lang.Double" -> value instanceof Number n ? (Object) n.doubleValue() : wrong(place, "a number");
            case "java.time.Instant" -> instant(value, place);
            default -> throw new IllegalStateException("no JSON form for " + raw);
        };
    }

    private static Object integer(Object value, String place) {
        return value instanceof Long n && n == n.intValue() ? (Object) n.intValue() : wrong(place, "a whole number of 32 bits");
    }

    private static Object instant(Object value, String place) {
        try {
            return value instanceof String s ? Instant.parse(s) : wrong(place, "an instant");
        } catch (DateTimeException notOne) {
            return wrong(place, "an instant");
        }
    }

    private static Object generic(@Nullable Object value, ParameterizedType type, String place) {
        var raw = (Class<?>) type.getRawType();
        var arguments = type.getActualTypeArguments();
        if (raw == List.class) {
            return list(value, arguments[0], place);
        }
        if (raw == Map.class) {
            return map(value, arguments[1], place);
        }
        return value instanceof Map<?, ?> map ? Shape.of(raw).make(map, type, place) : wrong(place, "an object");
    }

    private static Object list(@Nullable Object value, Type element, String place) {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> items)) {
            return wrong(place, "a list");
        }
        var bound = new ArrayList<@Nullable Object>(items.size());
        for (int i = 0; i < items.size(); i++) {
            bound.add(bind(items.get(i), element, place + "[" + i + "]"));
        }
        return Collections.unmodifiableList(bound);
    }

    private static Object map(@Nullable Object value, Type element, String place) {
        if (value == null) {
            return Map.of();
        }
        if (!(value instanceof Map<?, ?> entries)) {
            return wrong(place, "an object");
        }
        var bound = new LinkedHashMap<String, @Nullable Object>();
        entries.forEach((name, item) -> bound.put(String.valueOf(name), bind(item, element, place + "." + name)));
        return Collections.unmodifiableMap(bound);
    }

    /// `T` and `List<T>` inside `Page<Sandbox>` become what stands for T there.
    static Type resolve(Type type, Type context) {
        if (type instanceof TypeVariable<?> && context instanceof ParameterizedType owner) {
            return owner.getActualTypeArguments()[0];
        }
        if (type instanceof ParameterizedType inner && inner.getActualTypeArguments()[0] instanceof TypeVariable<?>) {
            return new Of((Class<?>) inner.getRawType(), resolve(inner.getActualTypeArguments()[0], context));
        }
        return type;
    }

    private static Object wrong(String place, String expected) {
        throw new JsonException(place + ": expected " + expected);
    }

    /// A generic type with one argument.
    record Of(Class<?> raw, Type argument) implements ParameterizedType {
        @Override
        public Type[] getActualTypeArguments() {
            return new Type[] {argument};
        }

        @Override
        public Type getRawType() {
            return raw;
        }

        @Override
        public @Nullable Type getOwnerType() {
            return null;
        }
    }
}
