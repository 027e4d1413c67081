// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// What is not to be seen in the records of a sandbox; null: of none.
@FunctionalInterface
public interface Masks {
    Patterns of(Handle tx, String tenant, @Nullable String sandbox);

    /// As records tell it: never what was found, only what kind of thing and how often.
    static List<Map<String, Object>> told(Map<Mark, Long> counts) {
        return counts.entrySet().stream()
                .map(e -> Map.<String, Object>of("kind", e.getKey().kind(), "name", e.getKey().name(), "form", e.getKey().form(), "count", e.getValue()))
                .toList();
    }

    /// The fields of a record: what the sandbox' own values are looked for in are its words, not the host's facts.
    static Map<String, Object> fields(Map<String, Object> fields, Patterns patterns, Hits hits) {
        return Facts.masked(fields, patterns, hits);
    }

    /// The same with every text in it masked: of maps (not their keys), lists and texts.
    static Object masked(Object value, Patterns patterns, Hits hits) {
        return switch (value) {
            case String text -> patterns.mask(text, hits);
            case List<?> list -> list.stream().map(v -> masked(v, patterns, hits)).toList();
            case Map<?, ?> map -> {
                var out = new LinkedHashMap<Object, Object>();
                map.forEach((k, v) -> out.put(k, masked(v, patterns, hits)));
                yield out;
            }
            default -> value;
        };
    }
}
