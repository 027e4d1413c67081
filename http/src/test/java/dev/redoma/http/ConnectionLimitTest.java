// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {

    public record Thing(String name) {}

    private static final Route HERE = new Route("GET", "/v1/x", x -> x.json(200, new Thing("here")));

    private static HttpServer.Settings atMost(int connections) {
        return new HttpServer.Settings("127.0.0.1", 0, Duration.ofMinutes(10), 16384, Duration.ofSeconds(1), connections);
    }

    /// Connections that begin a request and go no further.
    private record Idlers(List<Socket> sockets) implements AutoCloseable {
        static Idlers of(Served s, int count) throws IOException {
            var idlers = new Idlers(new ArrayList<>());
            for (int i = 0; i < count; i++) {
                var socket = new Socket("127.0.0.1", s.uri("/").getPort());
                socket.getOutputStream().write("GET /v1/x HTT".getBytes(StandardCharsets.US_ASCII));
                idlers.sockets.add(socket);
            }
            return idlers;
        }

        @Override
        public void close() throws IOException {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void idleConnectionsBeyondTheLimitMakeRoomForOthers(int limit) throws Exception {
        try (var s = new Served(atMost(limit), HERE); var idlers = Idlers.of(s, limit * 5 / 2)) {
            assertThat(s.get("/v1/x").body()).contains("here");
            assertThat(idlers.sockets).isNotEmpty();
        }
    }

    @Test
    void whoIsServedSlowlyIsNotLetGoForOthers() throws Exception {
        var asked = new CountDownLatch(1);
        var slow = new Route("GET", "/v1/slow", x -> {
            asked.countDown();
            Thread.sleep(3000);
            x.json(200, new Thing("late"));
        });
        try (var s = new Served(atMost(4), slow, HERE)) {
            var answer = s.client.sendAsync(s.request("/v1/slow").build(), java.net.http.HttpResponse.BodyHandlers.ofString());
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
            try (var idlers = Idlers.of(s, 10)) {
                assertThat(answer.get(30, TimeUnit.SECONDS).body()).contains("late");
                assertThat(idlers.sockets).isNotEmpty();
            }
        }
    }

    @Test
    void aSilentWebSocketIsNotLetGoForOthers() throws Exception {
        var said = new LinkedBlockingQueue<String>();
        var echo = new Route("GET", "/ws", x -> x.webSocket(ws -> {
            while (ws.receive(Duration.ofMinutes(1)) instanceof WebSocket.Text t) {
                ws.send(t.text());
            }
        }));
        try (var s = new Served(atMost(4), echo, HERE)) {
            var ws = s.client.newWebSocketBuilder().buildAsync(URI.create("ws" + s.uri("/ws").toString().substring(4)), new java.net.http.WebSocket.Listener() {
                @Override
                public java.util.concurrent.CompletionStage<?> onText(java.net.http.WebSocket socket, CharSequence data, boolean last) {
                    said.add(data.toString());
                    return null;
                }
            }).get(30, TimeUnit.SECONDS);
            try (var idlers = Idlers.of(s, 10)) {
                // Served only after the idle ones were let go in turns of a second, and so after more silence than they were allowed.
                assertThat(s.get("/v1/x").body()).contains("here");
                ws.sendText("still here", true).get(30, TimeUnit.SECONDS);
                assertThat(said.poll(30, TimeUnit.SECONDS)).isEqualTo("still here");
                ws.abort();
                assertThat(idlers.sockets).isNotEmpty();
            }
        }
    }

    @Test
    void oneThatStaysBelowTheLimitMayBeIdleForAsLongAsSet() throws Exception {
        try (var s = new Served(atMost(4), HERE)) {
            try (var idlers = Idlers.of(s, 10)) {
                assertThat(s.get("/v1/x").body()).contains("here");
                assertThat(idlers.sockets).isNotEmpty();
            }
            try (var socket = new Socket("127.0.0.1", s.uri("/").getPort())) {
                socket.setSoTimeout(30_000);
                for (int i = 0; i < 2; i++) {
                    // Whoever came during the rush has left once it is answered the second time: a second of patience is over.
                    socket.getOutputStream().write("GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    assertThat(socket.getInputStream().read()).isEqualTo('H');
                    Thread.sleep(2500);
                    socket.getInputStream().skipNBytes(socket.getInputStream().available());
                }
            }
        }
    }
}
