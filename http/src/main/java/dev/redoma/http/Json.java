// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.io.InputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/// JSON of our own API: records in camelCase, nulls left out, instants as RFC 3339. Reading is strict: an unknown or doubled
/// property, a wrong type, a missing part or anything after the document is INVALID_FIELD (or BAD_REQUEST) that says where.
public final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .changeDefaultPropertyInclusion(i -> i.withValueInclusion(JsonInclude.Include.NON_NULL))
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .withCoercionConfig(LogicalType.Textual, c -> c.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .build();

    /// For foreign protocols, whose clients send fields of versions to come.
    private static final JsonMapper LENIENT = MAPPER.rebuild().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

    private Json() {}

    public static byte[] bytes(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    public static String text(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /// As text that may stand in a header: everything beyond ASCII is escaped.
    public static String ascii(Object value) {
        return MAPPER.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII).writeValueAsString(value);
    }

    static JsonParser tokens(byte[] json) {
        return MAPPER.createParser(json);
    }

    public static <T> T read(byte[] json, Class<T> type) {
        try {
            return Required.checked(json.length == 0 ? null : MAPPER.readValue(json, type));
        } catch (JacksonException refused) {
            throw JsonRefusal.of(refused, json);
        }
    }

    /// As `read`, but properties that the type does not have are passed over.
    public static <T> T lenient(byte[] json, Class<T> type) {
        try {
            return Required.checked(json.length == 0 ? null : LENIENT.readValue(json, type));
        } catch (JacksonException refused) {
            throw JsonRefusal.of(refused, json);
        }
    }

    public static <T> T read(InputStream json, Class<T> type) throws IOException {
        return read(json.readAllBytes(), type);
    }
}
