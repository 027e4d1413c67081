// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.NetworkNamespace;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/// Sockets in the network of one instance. Whoever took the last of those made ahead has some more made, as going into another network takes as long as a whole request: so none are made where nobody asks. Thread-safe.
final class Inlet implements AutoCloseable {
    private static final int AHEAD = 4;

    private final Instance instance;
    private final ConcurrentLinkedQueue<SocketChannel> ahead = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean making = new AtomicBoolean();
    private volatile boolean closed;

    Inlet(Instance instance) {
        this.instance = instance;
    }

    /// Not connected; the caller's to close.
    SocketChannel socket() throws IOException {
        var ready = ahead.poll();
        if (ready == null) {
            try (var namespace = enter()) {
                ready = namespace.socket();
            }
        }
        if (ahead.isEmpty() && !closed && making.compareAndSet(false, true)) {
            Thread.ofVirtual().name("sockets-ahead").start(this::make);
        }
        return ready;
    }

    private NetworkNamespace enter() throws IOException {
        NetworkNamespace namespace;
        try {
            namespace = NetworkNamespace.ofProcess(instance.ref().pid());
        } catch (KernelException gone) {
            throw new IOException(gone);
        }
        // The pid was init's for as long as init lived: asked after the namespace is held.
        if (!instance.alive()) {
            namespace.close();
            throw new IOException("the sandbox has ended");
        }
        return namespace;
    }

    private void make() {
        try (var namespace = enter()) {
            for (int i = 0; i < AHEAD; i++) {
                ahead.add(namespace.socket());
            }
        } catch (IOException | RuntimeException none) {
            // whoever wants one next makes it, or is told why there is none
        } finally {
            making.set(false);
            if (closed) {
                drop();
            }
        }
    }

    /// How many are made ahead.
    int ready() {
        return ahead.size();
    }

    private void drop() {
        for (var unused = ahead.poll(); unused != null; unused = ahead.poll()) {
            try {
                unused.close();
            } catch (IOException gone) {
                // of a socket that was never used nothing is left
            }
        }
    }

    /// Closes those that nobody took; the network is not held by them any more.
    @Override
    public void close() {
        closed = true;
        drop();
    }
}
