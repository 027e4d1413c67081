// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import static dev.redoma.client.FakeServer.exec;
import static dev.redoma.client.FakeServer.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FollowTest {
    private static final byte[] SEQ =
            IntStream.rangeClosed(1, 300_000).mapToObj(i -> i + "\n").collect(Collectors.joining()).getBytes(StandardCharsets.US_ASCII);
    private static final String EXECS = "/v1/sandboxes/sb/execs";
    private static final String OUTPUT = EXECS + "/exabcdefghijklmnopqr/output";

    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static void stream(HttpExchange exchange, int offset) throws IOException {
        stream(exchange, offset, exec("running", null));
    }

    private static void stream(HttpExchange exchange, int offset, dev.redoma.model.wire.Exec first) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(200, 0);
        try (var out = new DataOutputStream(new BufferedOutputStream(exchange.getResponseBody()))) {
            frame(out, first);
            for (int at = offset; at < SEQ.length; at += 5000) {
                frame(out, 1, SEQ, at, Math.min(5000, SEQ.length - at));
                frame(out, 4, SEQ, 0, 0);
            }
            frame(out, exec("exited", 7));
        }
    }

    @Test
    void aStreamCutThreeTimesArrivesWholeAndOnce() throws IOException {
        server.on(EXECS, exchange -> stream(exchange, 0)).on(OUTPUT, exchange -> stream(exchange, (int) FakeServer.query(exchange, "offset")));
        try (var relay = new CuttingRelay(server.address(), 400_001, 3); var client = RedomaClient.connect(relay.address(), "k")) {
            var out = new ByteArrayOutputStream();
            var exec = client.sandbox("sb").execs().run(Command.of("seq", "1", "300000"), OutputSink.to(out, out));
            assertThat(out.toByteArray()).isEqualTo(SEQ);
            assertThat(exec.exitCode()).isEqualTo(7);
            assertThat(relay.cutsLeft()).isZero();
        }
    }

    @Test
    void aCutStreamOfACommandThatHasEndedLongAgoIsTakenUpAgain() throws IOException {
        server.on(OUTPUT, exchange -> stream(exchange, (int) FakeServer.query(exchange, "offset"), exec("exited", 7)));
        try (var relay = new CuttingRelay(server.address(), 400_001, 3); var client = RedomaClient.connect(relay.address(), "k")) {
            var out = new ByteArrayOutputStream();
            client.sandbox("sb").execs().get("exabcdefghijklmnopqr").follow(0, OutputSink.to(out, out));
            assertThat(out.size()).isEqualTo(SEQ.length);
            assertThat(relay.cutsLeft()).isZero();
        }
    }

    @Test
    void aStreamWithoutAnExitIsNeverASuccess() throws IOException {
        server.on(EXECS, exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (var out = new DataOutputStream(exchange.getResponseBody())) {
                frame(out, exec("running", null));
            }
        });
        var hasty = new Patience(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofMillis(200));
        try (var client = RedomaClient.connect(server.address(), "k", hasty)) {
            assertThatThrownBy(() -> client.sandbox("sb").execs().run(Command.of("x"), OutputSink.NONE)).isInstanceOf(ConnectionLostException.class);
        }
    }

    @Test
    void aSilentStreamIsGivenUpInTime() throws IOException {
        server.on(EXECS, exchange -> sleep(exchange));
        var hasty = new Patience(Duration.ofSeconds(1), Duration.ofMillis(300), Duration.ofSeconds(5), Duration.ofMillis(300), Duration.ofMillis(300));
        try (var client = RedomaClient.connect(server.address(), "k", hasty)) {
            assertThatThrownBy(() -> client.sandbox("sb").execs().run(Command.of("x"), OutputSink.NONE)).isInstanceOf(ConnectionLostException.class);
        }
    }

    private static void sleep(HttpExchange exchange) {
        try {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
            Thread.sleep(1500);
        } catch (IOException | InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anErrorOfTheSinkIsTheCallersOwn() throws IOException {
        server.on(EXECS, exchange -> stream(exchange, 0));
        try (var client = RedomaClient.connect(server.address(), "k")) {
            var full = OutputSink.to(new java.io.OutputStream() {
                @Override
                public void write(int b) throws IOException {
                    throw new IOException("no space left");
                }
            }, java.io.OutputStream.nullOutputStream());
            assertThatThrownBy(() -> client.sandbox("sb").execs().run(Command.of("x"), full))
                    .isInstanceOf(java.io.UncheckedIOException.class).hasMessageContaining("no space left");
        }
    }
}
