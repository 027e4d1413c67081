// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.pool.LayerId;
import dev.redoma.pool.Pool;
import dev.redoma.store.Store;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Removes layers that nothing needs: no template version, sandbox, snapshot or other row, no job under way, no warm member. Known from the
/// rows as they are, or nothing is removed. A removal that was interrupted is found and done again by the reaper. Thread-safe.
final class LayerCollector {
    private static final Logger LOG = LoggerFactory.getLogger(LayerCollector.class);

    private final Store store;
    private final Pool pool;
    private final LayerHolds holds;
    private final WarmPool warm;

    LayerCollector(Core core, WarmPool warm) {
        this.store = core.store();
        this.pool = core.pool();
        this.holds = core.holds();
        this.warm = warm;
    }

    /// Of those that something needed until now, the ones that nothing needs any more; their space is free soon afterwards.
    void collect(Collection<String> layers) {
        boolean removed = false;
        for (String layer : new HashSet<>(layers)) {
            removed |= remove(new LayerId(layer));
        }
        if (removed) {
            pool.settle();
        }
    }

    /// False if it is needed after all.
    boolean remove(LayerId layer) {
        boolean removed = holds.unlessHeld(layer, () -> {
            if (warm.layers().contains(layer.value()) || store.read(tx -> LayerUses.needed(tx, layer.value()))) {
                return false;
            }
            Faults.at("layer.unused");
            pool.deleteLayer(layer);
            return true;
        });
        if (removed) {
            LOG.info("removed the layer {}: nothing needs it any more", layer);
        }
        return removed;
    }

    Set<String> needed(Handle tx) {
        var needed = LayerUses.needed(tx);
        needed.addAll(warm.layers());
        return needed;
    }
}
