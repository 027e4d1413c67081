// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.VolumeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// What calls to the files API are doing on volumes now. It dies with the server, as those calls do. Thread-safe.
final class VolumeUse {
    private final Map<VolumeId, Integer> readers = new ConcurrentHashMap<>();
    private final Map<VolumeId, Integer> writers = new ConcurrentHashMap<>();

    /// A call on its way; to be closed with it.
    interface Use extends AutoCloseable {
        @Override
        void close();
    }

    Use read(VolumeId volume) {
        return take(readers, volume);
    }

    Use write(VolumeId volume) {
        return take(writers, volume);
    }

    private static Use take(Map<VolumeId, Integer> users, VolumeId volume) {
        users.merge(volume, 1, Integer::sum);
        return () -> users.computeIfPresent(volume, (v, n) -> n == 1 ? null : n - 1);
    }

    boolean writing(VolumeId volume) {
        return writers.containsKey(volume);
    }

    boolean any(VolumeId volume) {
        return writing(volume) || readers.containsKey(volume);
    }
}
