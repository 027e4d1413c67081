// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One WebSocket over Jetty's callbacks. At most one message waits here; the next is asked for when it was taken.
public final class JettyWebSocket implements WebSocket, Session.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(JettyWebSocket.class);
    private static final Duration STALLED = Duration.ofSeconds(60);
    private static final Duration PING = Duration.ofSeconds(20);

    private final Talk talk;
    private final ArrayBlockingQueue<Message> inbox = new ArrayBlockingQueue<>(4);
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable Session session;

    JettyWebSocket(Talk talk) {
        this.talk = talk;
    }

    @Override
    public void onWebSocketOpen(Session opened) {
        session = opened;
        // Silence is normal: pings find a dead peer, TCP ends the rest.
        opened.setIdleTimeout(Duration.ofMinutes(2));
        Thread.ofVirtual().name("ws").start(this::run);
        Thread.ofVirtual().name("ws-ping").start(this::ping);
        opened.demand();
    }

    private void run() {
        try {
            talk.run(this);
            close(1000, "");
        } catch (IOException gone) {
            LOG.debug("websocket: {}", gone.getMessage());
            close(1001, "");
        } catch (dev.redoma.model.RedomaException refused) {
            close(4000 + refused.code().status(), refused.problem().message());
        } catch (Exception | Error failure) {
            LOG.error("websocket", failure);
            close(1011, "internal");
        }
    }

    private void ping() {
        try {
            while (!closed.get()) {
                Thread.sleep(PING);
                var open = session;
                if (open != null && open.isOpen()) {
                    open.sendPing(ByteBuffer.allocate(0), Callback.NOOP);
                } else {
                    return;
                }
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        var bytes = new byte[payload.remaining()];
        payload.get(bytes);
        callback.succeed();
        put(new Binary(bytes));
    }

    @Override
    public void onWebSocketText(String text) {
        put(new Text(text));
    }

    @Override
    public void onWebSocketClose(int code, @Nullable String reason) {
        closed.set(true);
        put(new Closed(code, reason));
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        LOG.debug("websocket: {}", cause.toString());
        closed.set(true);
        put(new Closed(1006, cause.getMessage()));
    }

    private void put(Message message) {
        if (!inbox.offer(message)) {
            LOG.debug("websocket: {} after the end", message.getClass().getSimpleName());
        }
    }

    @Override
    public @Nullable Message receive(Duration atMost) throws InterruptedException {
        var message = inbox.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
        var open = session;
        if (message != null && !(message instanceof Closed) && open != null) {
            open.demand();
        }
        return message;
    }

    @Override
    public void send(byte[] bytes, int offset, int length) throws IOException {
        var sent = new CompletableFuture<@Nullable Void>();
        open().sendBinary(ByteBuffer.wrap(bytes, offset, length), Callback.from(() -> sent.complete(null), sent::completeExceptionally));
        await(sent);
    }

    @Override
    public void send(String text) throws IOException {
        var sent = new CompletableFuture<@Nullable Void>();
        open().sendText(text, Callback.from(() -> sent.complete(null), sent::completeExceptionally));
        await(sent);
    }

    private Session open() throws IOException {
        var open = session;
        if (open == null || closed.get()) {
            throw new ClientGone(new IOException("closed"));
        }
        return open;
    }

    private static void await(CompletableFuture<@Nullable Void> sent) throws IOException {
        try {
            sent.get(STALLED.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException gone) {
            throw new ClientGone(gone);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new ClientGone(ended);
        }
    }

    @Override
    public void close(int code, String reason) {
        var open = session;
        if (open != null && closed.compareAndSet(false, true)) {
            var utf8 = reason.getBytes(StandardCharsets.UTF_8);
            open.close(code, utf8.length > 123 ? new String(utf8, 0, 120, StandardCharsets.UTF_8) : reason, Callback.NOOP);
        }
    }
}
