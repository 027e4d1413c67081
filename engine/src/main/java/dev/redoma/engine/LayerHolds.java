// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.pool.LayerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Layers that a job under way (an import, a pull, a build) has got, while no row names them yet: whoever collects unused layers leaves
/// them. A job opens a hold, lets the pool name each layer to it before that is in place, and closes it when its row is written.
/// Thread-safe.
final class LayerHolds {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<LayerId, Integer> held = new HashMap<>();

    Hold open() {
        return new Hold();
    }

    /// Runs a removal unless somebody holds the layer; who asks to hold it meanwhile waits for the removal's end.
    boolean unlessHeld(LayerId layer, BooleanSupplier removal) {
        lock.lock();
        try {
            return !held.containsKey(layer) && removal.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    /// What one job holds. A layer that was found in a cache is held first and looked for in the pool afterwards.
    final class Hold implements Consumer<LayerId>, AutoCloseable {
        private final List<LayerId> mine = new ArrayList<>();

        private Hold() {}

        @Override
        public void accept(LayerId layer) {
            lock.lock();
            try {
                mine.add(layer);
                held.merge(layer, 1, Integer::sum);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                mine.forEach(layer -> held.computeIfPresent(layer, (l, n) -> n == 1 ? null : n - 1));
                mine.clear();
            } finally {
                lock.unlock();
            }
        }
    }
}
