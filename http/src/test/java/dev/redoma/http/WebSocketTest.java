// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.WebSocket.Listener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WebSocketTest {

    static final class Heard implements Listener {
        final LinkedBlockingQueue<String> said = new LinkedBlockingQueue<>();
        final CompletableFuture<String> closed = new CompletableFuture<>();

        @Override
        public CompletionStage<?> onBinary(java.net.http.WebSocket socket, ByteBuffer data, boolean last) {
            said.add("b" + data.remaining());
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onText(java.net.http.WebSocket socket, CharSequence data, boolean last) {
            said.add("t" + data);
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(java.net.http.WebSocket socket, int code, String reason) {
            closed.complete(code + " " + reason);
            return null;
        }
    }

    private static java.net.http.WebSocket open(Served s, Heard heard) {
        return s.client.newWebSocketBuilder()
                .buildAsync(URI.create(s.uri("/ws").toString().replace("http:", "ws:")), heard).orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void messagesGoBothWaysAndTheCloseCarriesItsReason() throws Exception {
        try (var s = new Served(new Route("GET", "/ws", x -> x.webSocket(ws -> {
            while (true) {
                switch (ws.receive(Duration.ofSeconds(30))) {
                    case WebSocket.Binary b -> ws.send(b.bytes(), 0, b.bytes().length);
                    case WebSocket.Text t when t.text().equals("end") -> {
                        ws.close(4001, "taken over");
                        return;
                    }
                    case WebSocket.Text t -> ws.send(t.text());
                    case WebSocket.Closed c -> { return; }
                    case null -> { return; }
                }
            }
        })))) {
            var heard = new Heard();
            var ws = open(s, heard);
            ws.sendBinary(ByteBuffer.allocate(10), true).join();
            ws.sendText("hi", true).join();
            assertThat(heard.said.poll(30, TimeUnit.SECONDS)).isEqualTo("b10");
            assertThat(heard.said.poll(30, TimeUnit.SECONDS)).isEqualTo("thi");
            ws.sendText("end", true).join();
            assertThat(heard.closed.get(30, TimeUnit.SECONDS)).isEqualTo("4001 taken over");
        }
    }

    @Test
    void aClientThatBreaksOffIsSeen() throws Exception {
        var seen = new CompletableFuture<WebSocket.Message>();
        try (var s = new Served(new Route("GET", "/ws", x -> x.webSocket(ws -> {
            var got = ws.receive(Duration.ofSeconds(30));
            if (got != null) {
                seen.complete(got);
            }
        })))) {
            var ws = open(s, new Heard());
            ws.abort();
            assertThat(seen.get(30, TimeUnit.SECONDS)).isInstanceOf(WebSocket.Closed.class);
        }
    }

    @Test
    void anOrdinaryRequestToAWebSocketRouteIsRefused() throws Exception {
        try (var s = new Served(new Route("GET", "/ws", x -> x.webSocket(ws -> {})))) {
            assertThat(s.get("/ws").statusCode()).isEqualTo(400);
        }
    }
}
