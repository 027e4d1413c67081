// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Records of one chain that hold their ciphertext but not what it says (an export), or not what opens it (a store), and what records of erasing say of them. Not thread-safe.
final class Unopened {
    static final String ERASE = "erase";

    private final Map<String, Some> bySandbox = new HashMap<>();
    private final Set<String> erased = new HashSet<>();

    /// How many records, and the first of them.
    record Some(long count, long first) {
        static final Some NONE = new Some(0, Long.MAX_VALUE);

        Some with(Some other) {
            return new Some(count + other.count, Math.min(first, other.first));
        }
    }

    void of(Map<String, Object> body, long seq) {
        bySandbox.merge(body.get("sandbox") instanceof String sandbox ? sandbox : "", new Some(1, seq), Some::with);
    }

    /// Any record of the chain: one of erasing vouches for all of its sandbox, for what came after was sealed with a key that nobody keeps.
    void look(Map<String, Object> body) {
        if ("admin".equals(body.get("category")) && ERASE.equals(body.get("action")) && body.get("fields") instanceof Map<?, ?> fields && fields.get("sandbox") instanceof String sandbox) {
            erased.add(sandbox);
        }
    }

    Some unaccounted() {
        return bySandbox.entrySet().stream().filter(e -> !erased.contains(e.getKey())).map(Map.Entry::getValue).reduce(Some.NONE, Some::with);
    }

    /// Null where what is not opened is accounted for in all chains. `rest`: what else there is to say of them.
    static @Nullable Verdict verdict(Map<String, Unopened> chains, long records, String rest) {
        var first = chains.entrySet().stream().filter(e -> e.getValue().unaccounted().count() > 0).findFirst().orElse(null);
        if (first == null) {
            return null;
        }
        long all = chains.values().stream().mapToLong(u -> u.unaccounted().count()).sum();
        long number = first.getValue().unaccounted().first();
        return new Verdict(Verdict.Status.UNOPENED, records, first.getKey(), number, "what is sealed in " + all + (all == 1 ? " record" : " records")
                + " is not shown, and no record says that it was erased (the first: " + number + " of " + first.getKey() + "); the chains " + rest);
    }
}
