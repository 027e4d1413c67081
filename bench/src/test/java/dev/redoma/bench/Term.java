// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/// A terminal attached over the WebSocket of an exec.
final class Term implements AutoCloseable {
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private volatile String reason = "";
    private final WebSocket socket;

    Term(Box box, String exec, long offset) {
        var uri = URI.create(box.api().base().toString().replaceFirst("^http", "ws"))
                .resolve(box.path("/execs/" + exec + "/terminal?offset=" + offset));
        socket = HttpClient.newHttpClient().newWebSocketBuilder().header("Authorization", "Bearer " + box.api().key())
                .connectTimeout(Duration.ofSeconds(10)).buildAsync(uri, new Listener()).join();
    }

    private final class Listener implements WebSocket.Listener {
        @Override
        public CompletionStage<?> onBinary(WebSocket ws, ByteBuffer data, boolean last) {
            synchronized (seen) {
                var bytes = new byte[data.remaining()];
                data.get(bytes);
                seen.writeBytes(bytes);
                seen.notifyAll();
            }
            ws.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket ws, int code, String why) {
            reason = why;
            closed.complete(code);
            return null;
        }

        @Override
        public void onError(WebSocket ws, Throwable error) {
            closed.completeExceptionally(error);
        }
    }

    void type(String text) {
        socket.sendBinary(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), true).join();
    }

    void resize(int cols, int rows) {
        socket.sendText("{\"cols\":" + cols + ",\"rows\":" + rows + "}", true).join();
    }

    String seen() {
        synchronized (seen) {
            return seen.toString(StandardCharsets.UTF_8);
        }
    }

    /// Waits until the text shows up.
    Term await(String text, long ms) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        synchronized (seen) {
            while (!seen().contains(text)) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new AssertionError("'" + text + "' did not show up in: " + seen());
                }
                try {
                    seen.wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(e);
                }
            }
        }
        return this;
    }

    int closeCode(long ms) throws Exception {
        return closed.get(ms, TimeUnit.MILLISECONDS);
    }

    String reason() {
        return reason;
    }

    void cut() {
        socket.abort();
    }

    @Override
    public void close() {
        socket.abort();
    }
}
