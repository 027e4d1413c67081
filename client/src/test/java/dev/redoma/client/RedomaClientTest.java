// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import static dev.redoma.client.FakeServer.json;
import static dev.redoma.client.FakeServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.wire.ServerInfo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedomaClientTest {
    private FakeServer server;
    private RedomaClient client;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        client = RedomaClient.connect(server.address(), "e2b_key");
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @Test
    void theKeyGoesWithEveryRequest() {
        var seen = new CopyOnWriteArrayList<String>();
        server.on("/v1", exchange -> {
            seen.add(exchange.getRequestHeaders().getFirst("Authorization"));
            json(exchange, 200, new ServerInfo("1", "i", "container", List.of(), Map.of()));
        });
        client.info();
        client.info();
        assertThat(seen).containsExactly("Bearer e2b_key", "Bearer e2b_key");
    }

    @Test
    void aProblemIsThrownWithAllItSays() {
        server.on("/v1/sandboxes/nope", exchange -> json(exchange, 404, problem(404, "sandbox-not-found")));
        assertThatThrownBy(() -> client.sandbox("nope").state()).isInstanceOfSatisfying(RedomaApiException.class, e -> {
            assertThat(e.code()).isEqualTo("sandbox-not-found");
            assertThat(e.remedy()).isEqualTo("do so");
            assertThat(e.problem().details()).containsEntry("field", "x");
        });
    }

    @Test
    void nobodyListeningIsItsOwnError() throws IOException {
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (var lonely = RedomaClient.connect(URI.create("http://127.0.0.1:" + port), "k")) {
            assertThatThrownBy(lonely::info).isInstanceOf(ServerUnreachableException.class).hasMessageContaining("127.0.0.1:" + port);
        }
    }

    @Test
    void somethingElseThanRedomaIsSaidToBeSo() {
        server.on("/v1", exchange -> {
            var html = "<html>hello</html>".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, html.length);
            exchange.getResponseBody().write(html);
        });
        assertThatThrownBy(client::info).isInstanceOf(AnswerNotUnderstoodException.class);
    }

    @Test
    void aKeptConnectionThatDiedIsReplaced() throws Exception {
        try (var listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var thread = Thread.ofVirtual().start(() -> answerOncePerConnection(listener, 3));
            try (var other = RedomaClient.connect(URI.create("http://127.0.0.1:" + listener.getLocalPort()), "k")) {
                for (int i = 0; i < 3; i++) {
                    assertThat(other.audit().publicKey()).isEqualTo("p");
                    Thread.sleep(30);
                }
            }
            thread.join(Duration.ofSeconds(5));
        }
    }

    private static void answerOncePerConnection(ServerSocket listener, int times) {
        for (int i = 0; i < times; i++) {
            try (var socket = listener.accept()) {
                socket.getInputStream().read(new byte[4096]);
                socket.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"publicKey\":\"p\"}".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                return;
            }
        }
    }

    @Test
    void aRefusalInTheMiddleOfAnUploadIsTheAnswer(@TempDir Path scratch) throws Exception {
        var big = scratch.resolve("big");
        try (var out = Files.newByteChannel(big, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE)) {
            out.position(64 << 20).write(java.nio.ByteBuffer.allocate(1));
        }
        try (var listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> refuse(listener));
            try (var other = RedomaClient.connect(URI.create("http://127.0.0.1:" + listener.getLocalPort()), "k")) {
                assertThatThrownBy(() -> other.sandbox("s").files().upload(big, "x", null, (done, total) -> {}))
                        .isInstanceOfSatisfying(RedomaApiException.class, e -> assertThat(e.status()).isEqualTo(413));
            }
        }
    }

    private static void refuse(ServerSocket listener) {
        try (var socket = listener.accept()) {
            socket.getInputStream().read(new byte[4096]);
            var body = dev.redoma.client.json.Json.write(problem(413, "payload-too-large"));
            socket.getOutputStream().write(("HTTP/1.1 413 No\r\nContent-Length: " + body.length() + "\r\nConnection: close\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            Thread.sleep(200);
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aPathWithEveryKindOfCharacterArrivesAsItIs() {
        var seen = new CopyOnWriteArrayList<String>();
        server.on("/v1/sandboxes/a b/files/list", exchange -> {
            seen.add(exchange.getRequestURI().getQuery());
            json(exchange, 200, Map.of("items", List.of()));
        });
        client.sandbox("a b").files().list("/ü &=+#%/x", 1);
        assertThat(seen).containsExactly("path=/ü &=+#%/x&depth=1");
    }
}
