// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// JSON Schemas of records, collected under their simple names.
final class Schemas {
    private final Map<String, Object> named = new TreeMap<>();

    Map<String, Object> all() {
        return named;
    }

    Map<String, Object> of(Type type) {
        if (type instanceof ParameterizedType generic) {
            return generic(generic);
        }
        if (type instanceof Class<?> c && c.isRecord()) {
            return reference(c);
        }
        return scalar(type);
    }

    Map<String, Object> arrayOf(Type type) {
        return ordered("type", "array", "items", of(type));
    }

    private Map<String, Object> generic(ParameterizedType type) {
        var arguments = type.getActualTypeArguments();
        return type.getRawType() == Map.class ? ordered("type", "object", "additionalProperties", of(arguments[1])) : arrayOf(arguments[0]);
    }

    private Map<String, Object> reference(Class<?> type) {
        var name = type.getSimpleName();
        if (!named.containsKey(name)) {
            named.put(name, Map.of()); // a record may contain itself
            named.put(name, object(type.getRecordComponents()));
        }
        return Map.of("$ref", "#/components/schemas/" + name);
    }

    private Map<String, Object> object(RecordComponent[] components) {
        var properties = new LinkedHashMap<String, Object>();
        var required = new ArrayList<String>();
        for (var component : components) {
            properties.put(component.getName(), of(component.getGenericType()));
            if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                required.add(component.getName());
            }
        }
        var schema = ordered("type", "object", "properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", List.copyOf(required));
        }
        return schema;
    }

    private static Map<String, Object> scalar(Type type) {
        if (type == Instant.class) {
            return ordered("type", "string", "format", "date-time");
        }
        if (type == long.class || type == Long.class) {
            return ordered("type", "integer", "format", "int64");
        }
        if (type == int.class || type == Integer.class) {
            return ordered("type", "integer", "format", "int32");
        }
        if (type == double.class || type == Double.class) {
            return ordered("type", "number");
        }
        if (type == boolean.class || type == Boolean.class) {
            return ordered("type", "boolean");
        }
        return type == String.class ? ordered("type", "string") : Map.of();
    }

    static Map<String, Object> ordered(Object... pairs) {
        var map = new LinkedHashMap<String, Object>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }
}
