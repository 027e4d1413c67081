// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Problem;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The query parameters of a request; a wrong one is INVALID_FIELD by name.
public record Query(Map<String, List<String>> values) {

    public List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    public @Nullable String get(String name) {
        var found = all(name);
        if (found.size() > 1) {
            throw Problem.field(name, "is there " + found.size() + " times", "it once");
        }
        return found.isEmpty() ? null : found.getFirst();
    }

    public String need(String name) {
        var value = get(name);
        if (value == null || value.isEmpty()) {
            throw Problem.field(name, "is missing", "it as a query parameter");
        }
        return value;
    }

    public boolean flag(String name, boolean otherwise) {
        var value = get(name);
        return switch (value) {
            case null -> otherwise;
            case "true", "1", "" -> true;
            case "false", "0" -> false;
            default -> throw Problem.field(name, "'" + value + "' is not a flag", "true or false");
        };
    }

    public long number(String name, long otherwise, long min, long max) {
        var value = get(name);
        if (value == null) {
            return otherwise;
        }
        try {
            long n = Long.parseLong(value);
            if (n >= min && n <= max) {
                return n;
            }
        } catch (NumberFormatException notANumber) {
            // answered below, as a number out of bounds is
        }
        throw Problem.field(name, "'" + (value.length() > 40 ? value.substring(0, 40) + "…" : value) + "' cannot be taken",
                "a whole number from " + min + " to " + max);
    }

    /// Refuses parameters that are not among these.
    public void only(Set<String> known) {
        for (var name : values.keySet()) {
            if (!known.contains(name)) {
                throw Problem.field(name, "is not a parameter of this route",
                        known.isEmpty() ? "no query parameters" : "only " + String.join(", ", known.stream().sorted().toList()));
            }
        }
    }
}
