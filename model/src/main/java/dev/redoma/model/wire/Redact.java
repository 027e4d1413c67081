// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What nobody is to see of a sandbox: `values` by names of the caller's choice, never told back. `tokens`: whether what has the shape of a well-known token is masked in
/// output too; null is the server's choice. In records it always is.
public record Redact(@Nullable Map<String, String> values, @Nullable Boolean tokens) {
    public Redact {
        values = values == null ? Map.of() : java.util.Collections.unmodifiableMap(new java.util.TreeMap<>(values));
    }

    @Override
    public Map<String, String> values() {
        return values == null ? Map.of() : values;
    }

    /// With these too; null where one of them has another value under a name that is taken.
    public @Nullable Redact with(Map<String, String> more) {
        var all = new java.util.TreeMap<>(values());
        for (var one : more.entrySet()) {
            var before = all.put(one.getKey(), one.getValue());
            if (before != null && !before.equals(one.getValue())) {
                return null;
            }
        }
        return new Redact(all, tokens);
    }

    /// Never a value.
    @Override
    public String toString() {
        return "Redact[names=" + values().keySet() + ", tokens=" + tokens + "]";
    }
}
