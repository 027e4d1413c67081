// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// Layers that stand under an image on its way in: nobody deletes them meanwhile. Thread-safe.
final class Holds {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<LayerId, Integer> held = new HashMap<>();

    /// Takes hold if the layer is there.
    boolean hold(LayerId layer, BooleanSupplier there) {
        lock.lock();
        try {
            if (!there.getAsBoolean()) {
                return false;
            }
            held.merge(layer, 1, Integer::sum);
            return true;
        } finally {
            lock.unlock();
        }
    }

    void release(LayerId layer) {
        lock.lock();
        try {
            held.computeIfPresent(layer, (l, n) -> n == 1 ? null : n - 1);
        } finally {
            lock.unlock();
        }
    }

    /// False if it is held.
    boolean unlessHeld(LayerId layer, BooleanSupplier action) {
        lock.lock();
        try {
            return !held.containsKey(layer) && action.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }
}
