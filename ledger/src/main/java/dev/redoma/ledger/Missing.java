// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Records of one chain whose sealed fields are not there, and what records of pruning say of them. Not thread-safe.
final class Missing {
    private final Map<String, Numbers> byCategory = new HashMap<>();
    private final Map<String, Long> pruned = new HashMap<>();

    private static final class Numbers {
        private long[] values = new long[64];
        private int count;

        void add(long value) {
            values = count == values.length ? Arrays.copyOf(values, count * 2) : values;
            values[count++] = value;
        }

        /// The first beyond; 0 where there is none.
        long beyond(long end) {
            for (int i = 0; i < count; i++) {
                if (values[i] > end) {
                    return values[i];
                }
            }
            return 0;
        }
    }

    /// In order of the chain.
    void of(@Nullable Object category, long seq) {
        byCategory.computeIfAbsent(String.valueOf(category), c -> new Numbers()).add(seq);
    }

    /// Any record of the chain: one of pruning vouches for what lies before it.
    void look(Map<String, Object> body, long seq) {
        if ("admin".equals(body.get("category")) && Pruning.ACTION.equals(body.get("action")) && body.get("fields") instanceof Map<?, ?> fields
                && fields.get("category") instanceof String category && fields.get("upTo") instanceof Long end) {
            pruned.merge(category, Math.min(end, seq), Math::max);
        }
    }

    /// The first that nothing vouches for; 0 where there is none.
    long first() {
        return byCategory.entrySet().stream().mapToLong(e -> e.getValue().beyond(pruned.getOrDefault(e.getKey(), 0L))).filter(seq -> seq > 0).min().orElse(0);
    }
}
