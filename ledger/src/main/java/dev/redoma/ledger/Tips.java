// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.store.Store;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/// The last record of each chain, remembered from one append to the next: looking it up costs a third of an append. All of it is forgotten when a
/// transaction was undone, so what is remembered is what the database holds. Called by units that write, which run one after another.
final class Tips {
    private static final int REMEMBERED = 1_000;

    private final Store store;
    private long undone;
    private final Map<String, Tip> known = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Tip> eldest) {
            return size() > REMEMBERED;
        }
    };

    Tips(Store store) {
        this.store = store;
    }

    Tip of(Handle tx, String tenant) {
        long now = store.undone();
        if (now != undone) {
            known.clear();
            undone = now;
        }
        var tip = known.get(tenant);
        return tip != null ? tip : Tip.of(tx, tenant);
    }

    /// It was written in this unit.
    void now(String tenant, Tip tip) {
        known.put(tenant, tip);
    }
}
