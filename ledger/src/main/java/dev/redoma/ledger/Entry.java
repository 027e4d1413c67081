// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Masks;
import dev.redoma.ledger.redact.Patterns;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What is to be recorded. `open` fields are plain (ids, numbers, decisions); `sealed` fields may hold personal data or secrets
/// (argv, paths, env names, output digests) and are encrypted under the sandbox's own key, the chain hashing the ciphertext.
/// Values: String, Long, Integer, Boolean, Double without fraction loss, List and Map of these. A field whose word came from
/// the guest is named in `fromGuest`.
public record Entry(
        String tenant,
        String actor,
        @Nullable String sandbox,
        @Nullable String exec,
        String category,
        String action,
        Map<String, Object> open,
        Map<String, Object> sealed,
        java.util.List<String> fromGuest) {

    public Entry {
        open = Map.copyOf(open);
        sealed = Map.copyOf(sealed);
        fromGuest = java.util.List.copyOf(fromGuest);
    }

    Entry with(String name, Object value) {
        var more = new java.util.LinkedHashMap<>(open);
        more.put(name, value);
        return new Entry(tenant, actor, sandbox, exec, category, action, more, sealed, fromGuest);
    }

    /// With every text in it masked that is not a fact of the host.
    Entry masked(Patterns patterns, Hits hits) {
        return patterns.empty() ? this : new Entry(tenant, actor, sandbox, exec, category, action, Masks.fields(open, patterns, hits), Masks.fields(sealed, patterns, hits), fromGuest);
    }
}
