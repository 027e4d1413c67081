// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Checks what a JSON reader leaves open: that no component of a record is null unless it is `@Nullable`, nor any element inside.
final class Required {
    private static final ClassValue<RecordComponent[]> COMPONENTS = new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
            return type.isRecord() ? type.getRecordComponents() : new RecordComponent[0];
        }
    };

    private Required() {}

    static <T> T checked(@Nullable T value) {
        if (value == null) {
            throw Problem.of(Code.BAD_REQUEST, "The body is empty.", "Send a JSON object.").raise();
        }
        check("", value);
        return value;
    }

    private static void check(String path, Object value) {
        switch (value) {
            case Record r -> components(path, r);
            case List<?> list -> {
                for (int i = 0; i < list.size(); i++) {
                    present(path + "[" + i + "]", list.get(i));
                }
            }
            case Map<?, ?> map -> map.forEach((k, v) -> present(path + "." + k, v));
            default -> {}
        }
    }

    private static void components(String path, Record value) {
        for (var component : COMPONENTS.get(value.getClass())) {
            var name = path.isEmpty() ? component.getName() : path + "." + component.getName();
            var part = read(component, value);
            if (part != null) {
                check(name, part);
            } else if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                throw Problem.field(name, "is missing", "a value for it");
            }
        }
    }

    private static void present(String path, @Nullable Object value) {
        if (value == null) {
            throw Problem.field(path, "is null", "a value for it");
        }
        check(path, value);
    }

    private static @Nullable Object read(RecordComponent component, Record value) {
        try {
            return component.getAccessor().invoke(value);
        } catch (ReflectiveOperationException notPublic) {
            throw new IllegalStateException("record " + value.getClass() + " is not public", notPublic);
        }
    }
}
