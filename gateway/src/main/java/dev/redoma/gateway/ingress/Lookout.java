// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.kernel.Hangup;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/// Looks after clients that wait for an app: where one has gone, its app's connection is closed, so that neither waits for ever; and where what let one in stands no longer. Thread-safe.
final class Lookout implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(500);

    private final Map<Object, Watched> watched = new ConcurrentHashMap<>();
    private final Thread looking = Thread.ofVirtual().name("ingress-lookout").start(this::look);

    private record Watched(BooleanSupplier stands, Runnable gone) {}

    /// Until the key is released.
    void watch(Object key, SocketChannel client, Runnable gone) {
        watch(key, () -> Hangup.of(client) == Hangup.NONE, gone);
    }

    /// Until the key is released, or it stands no longer.
    void watch(Object key, BooleanSupplier stands, Runnable gone) {
        watched.put(key, new Watched(stands, gone));
    }

    void release(Object key) {
        watched.remove(key);
    }

    private void look() {
        try {
            while (true) {
                Thread.sleep(LOOK);
                watched.forEach((key, w) -> {
                    if (!w.stands.getAsBoolean() && watched.remove(key, w)) {
                        w.gone.run();
                    }
                });
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /// Gives up every one that is watched.
    @Override
    public void close() {
        looking.interrupt();
        watched.values().forEach(w -> w.gone.run());
    }
}
