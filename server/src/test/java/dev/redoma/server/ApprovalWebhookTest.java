// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.CheckedPost;
import dev.redoma.http.Json;
import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Approval;
import dev.redoma.server.config.ApprovalConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whom the webhook tells, in an internet of the test's own.
class ApprovalWebhookTest {
    private static final String ORIGIN = "45.0.0.1";
    private static final byte[] SECRET = "a secret of thirty-two characters or more".getBytes(StandardCharsets.UTF_8);
    private static final List<String> HEARD = new CopyOnWriteArrayList<>();
    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static Process internet;
    private static NetworkNamespace outside;
    private static ServerSocketChannel origin;

    @BeforeAll
    static void open() throws Exception {
        internet = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && ip addr add " + ORIGIN + "/32 dev lo && echo ready && exec cat").start();
        assertThat(internet.getInputStream().readNBytes(6)).hasSize(6);
        outside = NetworkNamespace.ofProcess(internet.pid());
        origin = outside.serverSocket().bind(new InetSocketAddress(ORIGIN, 80));
        Thread.ofVirtual().start(ApprovalWebhookTest::serve);
    }

    @AfterAll
    static void close() throws Exception {
        origin.close();
        outside.close();
        internet.destroy();
    }

    @BeforeEach
    void fresh() {
        HEARD.clear();
        FAILURES.set(0);
    }

    private static void serve() {
        while (origin.isOpen()) {
            try (var connection = origin.accept()) {
                var in = connection.socket().getInputStream();
                var head = head(in);
                int length = Integer.parseInt(head.replaceAll("(?s).*Content-Length: (\\d+).*", "$1"));
                HEARD.add(head + new String(in.readNBytes(length), StandardCharsets.UTF_8));
                String status = FAILURES.getAndDecrement() > 0 ? "500 No" : "204 Heard";
                connection.socket().getOutputStream().write(("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            } catch (IOException gone) {
                // the next one
            }
        }
    }

    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        return head.toString();
    }

    private static CheckedDialler dialler() {
        return new CheckedDialler(host -> {
            if (host.equals("hooks.test")) {
                return new InetAddress[] {InetAddress.ofLiteral(ORIGIN)};
            }
            if (host.equals("inside.test")) {
                return new InetAddress[] {InetAddress.ofLiteral(ORIGIN), InetAddress.ofLiteral("127.0.0.1")};
            }
            try {
                return new InetAddress[] {InetAddress.ofLiteral(host)};
            } catch (IllegalArgumentException unknown) {
                throw new UnknownHostException(host);
            }
        }, outside::socket, Duration.ofSeconds(5));
    }

    private static ApprovalWebhook hook(String to, List<Duration> again) {
        return new ApprovalWebhook(new ApprovalConfig.Webhook(URI.create(to), SECRET, true), new CheckedPost(dialler(), true, Duration.ofSeconds(5)), again);
    }

    private static Approval approval(String id) {
        return new Approval(id, "default", "sbx", "exec", "pending", Map.of("argv", List.of("secret words")), List.of("floor.approve[0]"), 1, "ky1", "us1", Instant.EPOCH, Instant.EPOCH, List.of(), null, null);
    }

    @Test
    void whatItTellsIsSignedWithItsTimeAndToldAgainUntilItIsHeard() throws Exception {
        FAILURES.set(2);
        try (var hook = hook("http://hooks.test/approvals?x=1", List.of(Duration.ofMillis(10), Duration.ofMillis(10), Duration.ofMillis(10)))) {
            hook.accept(approval("ap1"));
            await().atMost(Duration.ofSeconds(30)).until(() -> HEARD.size() == 3);
        }
        for (String heard : HEARD) {
            assertThat(heard).startsWith("POST /approvals?x=1 HTTP/1.1\r\nHost: hooks.test\r\n").doesNotContain("secret words");
            String time = heard.replaceAll("(?s).*Redoma-Timestamp: (\\d+).*", "$1");
            byte[] body = heard.substring(heard.indexOf("\r\n\r\n") + 4).getBytes(StandardCharsets.UTF_8);
            assertThat(heard).contains("Redoma-Signature: v1=" + ApprovalWebhook.signature(SECRET, time, body) + "\r\n");
            assertThat(Duration.between(Instant.ofEpochSecond(Long.parseLong(time)), Instant.now()).abs()).isLessThan(Duration.ofMinutes(1));
            assertThat(Json.read(body, ApprovalWebhook.Told.class).approval()).isEqualTo("ap1");
        }
    }

    @Test
    void itGivesUpAfterSomeAndTellsTheNext() throws Exception {
        FAILURES.set(2);
        try (var hook = hook("http://hooks.test/", List.of(Duration.ofMillis(10)))) {
            hook.accept(approval("ap1"));
            await().atMost(Duration.ofSeconds(30)).until(() -> HEARD.size() == 2);
            hook.accept(approval("ap2"));
            await().atMost(Duration.ofSeconds(30)).until(() -> HEARD.size() == 3);
            assertThat(HEARD.getLast()).contains("ap2");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://169.254.169.254/latest", "http://0.0.0.0/", "http://224.0.0.1/", "http://[fe80::1]/"})
    void whatIsNeverDialledIsNotToldEither(String to) {
        assertThatThrownBy(() -> new CheckedPost(dialler(), true, Duration.ofSeconds(5)).send(URI.create(to), Map.of(), new byte[0])).isInstanceOfSatisfying(RedomaException.class,
                e -> assertThat(e.code()).isEqualTo(Code.ADDRESS_REFUSED));
        assertThat(HEARD).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://127.0.0.1/", "https://[::1]/", "https://inside.test/", "https://[::ffff:127.0.0.1]/", "https://10.1.2.3/", "https://192.168.0.1/", "https://[fd00::1]/", "http://hooks.test/"})
    void whatIsPrivateOrPlainIsToldOnlyWhereTheOperatorSaysSo(String to) {
        assertThatThrownBy(() -> new CheckedPost(dialler(), false, Duration.ofSeconds(5)).send(URI.create(to), Map.of(), new byte[0])).isInstanceOfSatisfying(RedomaException.class,
                e -> assertThat(e.code()).isEqualTo(Code.ADDRESS_REFUSED));
    }
}
