// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A server of the bench's own, each connection on a thread of a pool. Closing it ends its connections.
final class Origin implements AutoCloseable {
    private final ServerSocketChannel listener;
    private final ExecutorService threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("origin-", 0).factory());
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

    private Origin(ServerSocketChannel listener) {
        this.listener = listener;
    }

    /// What is done with a connection.
    interface Serving {
        void serve(SocketChannel connection) throws IOException;
    }

    /// `listener`: in whichever network it was made.
    static Origin start(ServerSocketChannel listener, InetSocketAddress at, Serving serving) throws IOException {
        var origin = new Origin(listener.bind(at, 1024));
        Thread.ofPlatform().daemon().name("origin").start(() -> origin.accept(serving));
        return origin;
    }

    /// HTTP without TLS.
    static Origin http(ServerSocketChannel listener, InetSocketAddress at) throws IOException {
        return start(listener, at, connection -> new Talk(connection.socket().getInputStream(), connection.socket().getOutputStream()).serve());
    }

    private void accept(Serving serving) {
        while (listener.isOpen()) {
            try {
                var connection = listener.accept();
                open.add(connection);
                threads.execute(() -> served(connection, serving));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void served(SocketChannel connection, Serving serving) {
        try (connection) {
            connection.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
            serving.serve(connection);
        } catch (IOException gone) {
            // its client tells what it missed
        } finally {
            open.remove(connection);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (var connection : open) {
            connection.close();
        }
        threads.shutdown();
    }
}
