// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.store.Sql;
import dev.redoma.store.Store;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Removes what is sealed in records that are older than their category is kept. The records themselves stay, and the chain whole: it covers the ciphertext by its hash. First
/// a record (`admin`, `pruned`) says up to which number; only what such a record covers may be missing. One at a time.
final class Pruning {
    static final String ACTION = "pruned";
    /// Records looked at in one transaction: others write in between.
    private static final long STEP = 20_000;

    private record Chain(String tenant, String category) {}

    private final Store store;
    private final ChainLedger ledger;
    /// Below these nothing is left to remove, as far as this server knows.
    private final Map<Chain, Long> done = new HashMap<>();

    Pruning(Store store, ChainLedger ledger) {
        this.store = store;
        this.ledger = ledger;
    }

    /// How many records lost what was sealed.
    synchronized long run(Map<String, Duration> keep, long nowMicros) {
        long removed = 0;
        for (var tenant : store.read(Tip::tenants)) {
            for (var each : keep.entrySet()) {
                removed += run(new Chain(tenant, each.getKey()), nowMicros - each.getValue().toNanos() / 1000);
            }
        }
        return removed;
    }

    private long run(Chain chain, long before) {
        long from = done.getOrDefault(chain, 0L);
        long last = store.read(tx -> number(Sql.first(tx, rs -> rs.getLong(1), "SELECT seq FROM record WHERE tenant = ? AND at < ? ORDER BY seq DESC LIMIT 1", chain.tenant, before)));
        if (last <= from) {
            return 0;
        }
        boolean any = store.read(tx -> Sql.first(tx, rs -> rs.getLong(1),
                "SELECT seq FROM record WHERE tenant = ? AND seq > ? AND seq <= ? AND category = ? AND sealed IS NOT NULL LIMIT 1", chain.tenant, from, last, chain.category) != null);
        long removed = 0;
        if (any) {
            store.write(tx -> ledger.append(tx, new Entry(chain.tenant, "engine", null, null, "admin", ACTION, Map.of("category", chain.category, "upTo", last), Map.of(), List.of())));
            for (long at = from; at < last; at += STEP) {
                long first = at;
                removed += store.write(tx -> tx.createUpdate("UPDATE record SET sealed = NULL WHERE tenant = :tenant AND seq > :from AND seq <= :to AND category = :category AND sealed IS NOT NULL")
                        .bind("tenant", chain.tenant).bind("from", first).bind("to", Math.min(last, first + STEP)).bind("category", chain.category).execute());
            }
        }
        done.put(chain, last);
        return removed;
    }

    private static long number(@Nullable Long found) {
        return found == null ? 0 : found;
    }

}
