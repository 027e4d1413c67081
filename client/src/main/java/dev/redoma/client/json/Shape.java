// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.json;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The components of one record class, read by reflection once. Thread-safe.
final class Shape {
    private static final Map<Class<?>, Shape> KNOWN = new ConcurrentHashMap<>();

    private final Constructor<?> constructor;
    private final List<Part> parts;

    private record Part(String name, Type type, Method accessor) {}

    private Shape(Class<?> type) {
        parts = new ArrayList<>();
        for (var c : type.getRecordComponents()) {
            var accessor = c.getAccessor();
            accessor.setAccessible(true);
            parts.add(new Part(c.getName(), c.getGenericType(), accessor));
        }
        constructor = canonical(type);
    }

    static Shape of(Class<?> type) {
        return KNOWN.computeIfAbsent(type, Shape::new);
    }

    /// The canonical constructor is the only declared one with as many parameters of the same types as there are components.
    private static Constructor<?> canonical(Class<?> type) {
        var parameters = new ArrayList<Class<?>>();
        for (var c : type.getRecordComponents()) {
            parameters.add(c.getType());
        }
        try {
            var found = type.getDeclaredConstructor(parameters.toArray(new Class<?>[0]));
            found.setAccessible(true);
            return found;
        } catch (NoSuchMethodException never) {
            throw new IllegalStateException("a record without its constructor: " + type, never);
        }
    }

    Map<String, Object> fields(Record record) {
        var map = new LinkedHashMap<String, Object>();
        for (var part : parts) {
            var value = call(part, record);
            if (value != null) {
                map.put(part.name(), value);
            }
        }
        return map;
    }

    private static @Nullable Object call(Part part, Record record) {
        try {
            return part.accessor().invoke(record);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("cannot read component " + part.name(), e);
        }
    }

    Object make(Map<?, ?> fields, Type context, String place) {
        var values = new @Nullable Object[parts.size()];
        for (int i = 0; i < values.length; i++) {
            var part = parts.get(i);
            values[i] = Binder.bind(fields.get(part.name()), Binder.resolve(part.type(), context), place + "." + part.name());
        }
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new JsonException(place + ": " + e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make " + constructor, e);
        }
    }
}
