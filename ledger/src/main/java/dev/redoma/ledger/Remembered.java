// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.store.Store;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What units that write know of the database from those before them. All of it is forgotten when a transaction was undone, so what is remembered is
/// what the database holds. Called by units that write, which run one after another.
final class Remembered<K, V> {
    private static final int MOST = 1_000;

    private final Store store;
    private long undone;
    private final Map<K, V> known = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > MOST;
        }
    };

    Remembered(Store store) {
        this.store = store;
    }

    @Nullable V of(K key) {
        long now = store.undone();
        if (now != undone) {
            known.clear();
            undone = now;
        }
        return known.get(key);
    }

    /// It was read or written in this unit, which asked before.
    void now(K key, V value) {
        known.put(key, value);
    }

    void forget(K key) {
        known.remove(key);
    }
}
