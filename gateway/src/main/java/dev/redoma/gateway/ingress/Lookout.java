// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.kernel.Hangup;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Looks after clients that wait for an app: where one has gone, its app's connection is closed, so that neither waits for ever. Thread-safe.
final class Lookout implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(500);

    private final Map<Object, Watched> watched = new ConcurrentHashMap<>();
    private final Thread looking = Thread.ofVirtual().name("ingress-lookout").start(this::look);

    private record Watched(SocketChannel client, Runnable gone) {}

    /// Until the key is released.
    void watch(Object key, SocketChannel client, Runnable gone) {
        watched.put(key, new Watched(client, gone));
    }

    void release(Object key) {
        watched.remove(key);
    }

    private void look() {
        try {
            while (true) {
                Thread.sleep(LOOK);
                watched.forEach((key, w) -> {
                    if (Hangup.of(w.client) != Hangup.NONE && watched.remove(key, w)) {
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
