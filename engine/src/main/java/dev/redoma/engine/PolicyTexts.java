// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.TenantId;
import dev.redoma.policy.PolicyDocument;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// Policy files that were read lately: the same is asked for with every create and every command. What one tenant asked for says nothing to another, not even by how long it takes. Thread-safe.
final class PolicyTexts {
    static final int KEPT = 128;
    /// Longer ones are read each time.
    static final int LONGEST = 16 << 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Key, PolicyDocument> kept = new LinkedHashMap<>(16, 0.75f, true);

    private record Key(TenantId tenant, String layer, String source, String text) {}

    /// `reading`: from these texts and nothing else. What it throws is not kept.
    PolicyDocument read(TenantId tenant, String layer, String source, String text, Supplier<PolicyDocument> reading) {
        if (text.length() > LONGEST) {
            return reading.get();
        }
        var key = new Key(tenant, layer, source, text);
        PolicyDocument known = known(key);
        return known == null ? keep(key, reading.get()) : known;
    }

    private @org.jspecify.annotations.Nullable PolicyDocument known(Key key) {
        lock.lock();
        try {
            return kept.get(key);
        } finally {
            lock.unlock();
        }
    }

    private PolicyDocument keep(Key key, PolicyDocument read) {
        lock.lock();
        try {
            kept.put(key, read);
            if (kept.size() > KEPT) {
                kept.remove(kept.keySet().iterator().next());
            }
            return read;
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return kept.size();
        } finally {
            lock.unlock();
        }
    }
}
