// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A tunnel over Jetty's end point, which HTTP hands over after a 101.
final class JettyTunnel extends AbstractConnection implements Connection.UpgradeTo, Tunnel {
    private static final Logger LOG = LoggerFactory.getLogger(JettyTunnel.class);
    /// Silence is normal; a peer that is gone is found by TCP, or by this.
    private static final Duration IDLE = Duration.ofHours(2);

    private final Talk talk;
    private @Nullable ByteBuffer ahead;

    JettyTunnel(EndPoint endPoint, java.util.concurrent.Executor executor, Talk talk) {
        super(endPoint, executor);
        this.talk = talk;
    }

    @Override
    public void onUpgradeTo(ByteBuffer read) {
        ahead = read == null || !read.hasRemaining() ? null : BufferUtil.copy(read);
    }

    @Override
    public void onOpen() {
        super.onOpen();
        getEndPoint().setIdleTimeout(IDLE.toMillis());
        Thread.ofVirtual().name("tunnel").start(this::run);
    }

    private void run() {
        try {
            talk.run(this);
        } catch (IOException ended) {
            LOG.debug("tunnel: {}", ended.toString());
        } catch (RuntimeException failed) {
            LOG.error("tunnel", failed);
        } finally {
            close();
        }
    }

    @Override
    public void onFillable() {
        // each read waits by a callback of its own
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        var first = ahead;
        if (first != null) {
            int n = Math.min(first.remaining(), into.remaining());
            into.put(first.slice().limit(n));
            first.position(first.position() + n);
            ahead = first.hasRemaining() ? first : null;
            return n;
        }
        int start = into.position();
        var room = into.slice();
        room.limit(0);
        while (true) {
            int n = getEndPoint().fill(room);
            if (n != 0) {
                into.position(start + Math.max(0, n));
                return n;
            }
            var ready = new CompletableFuture<@Nullable Void>();
            getEndPoint().fillInterested(Callback.from(() -> ready.complete(null), ready::completeExceptionally));
            await(ready);
        }
    }

    @Override
    public void write(ByteBuffer bytes) throws IOException {
        var sent = new CompletableFuture<@Nullable Void>();
        getEndPoint().write(Callback.from(() -> sent.complete(null), sent::completeExceptionally), bytes);
        await(sent);
    }

    private static void await(CompletableFuture<@Nullable Void> done) throws IOException {
        try {
            done.get();
        } catch (ExecutionException failed) {
            throw new ClientGone(failed);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new ClientGone(ended);
        }
    }

    @Override
    public void shutdownOutput() {
        getEndPoint().shutdownOutput();
    }
}
