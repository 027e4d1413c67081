// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/// How values stand in the database: instants as microseconds since the epoch, structures as JSON text.
final class Columns {
    private static final JsonMapper JSON = JsonMapper.builder()
            .changeDefaultPropertyInclusion(any -> com.fasterxml.jackson.annotation.JsonInclude.Value.construct(
                    com.fasterxml.jackson.annotation.JsonInclude.Include.NON_NULL, com.fasterxml.jackson.annotation.JsonInclude.Include.ALWAYS))
            .enable(tools.jackson.databind.SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private Columns() {}

    static String json(Object value) {
        return JSON.writeValueAsString(value);
    }

    static <T> T parse(String text, Class<T> type) {
        return JSON.readValue(text, type);
    }

    static <T> T parse(String text, TypeReference<T> type) {
        return JSON.readValue(text, type);
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    static @Nullable Long microsOrNull(@Nullable Instant instant) {
        return instant == null ? null : micros(instant);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
