// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// JSON text to records and back. Thread-safe.
public final class Json {
    private Json() {}

    /// One line. Null components of records are left out.
    public static String write(@Nullable Object value) {
        return new JsonWriter(false).write(value);
    }

    /// Indented, for people.
    public static String pretty(@Nullable Object value) {
        return new JsonWriter(true).write(value);
    }

    /// Map, List, String, Long, Double, Boolean or null.
    public static @Nullable Object parse(byte[] utf8) {
        return new JsonParser(text(utf8)).document();
    }

    public static @Nullable Object parse(String text) {
        return new JsonParser(text).document();
    }

    /// Unknown fields are passed over; a field of another type than its component's is an error that names it.
    public static <T> T read(byte[] utf8, Class<T> record) {
        return record.cast(present(Binder.bind(parse(utf8), record, record.getSimpleName())));
    }

    /// A generic record of one parameter, such as `Page<Sandbox>`.
    @SuppressWarnings("unchecked")
    public static <T> T read(byte[] utf8, Class<?> record, Class<?> of) {
        return (T) present(Binder.bind(parse(utf8), new Binder.Of(record, of), record.getSimpleName()));
    }

    private static Object present(@Nullable Object value) {
        if (value == null) {
            throw new JsonException("expected an object, got null");
        }
        return value;
    }

    private static String text(byte[] utf8) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
        } catch (CharacterCodingException e) {
            throw new JsonException("not UTF-8");
        }
    }
}
