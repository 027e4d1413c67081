// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.policy.EgressClass;
import dev.redoma.policy.Rate;
import dev.redoma.policy.Rule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests without TLS: what arrives is what the rules allow, written anew.
@Timeout(60)
class PlainHttpTest {
    @TempDir
    Path dir;

    Lab lab;
    Inside inside;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.origin(Lab.HERE, 80, PlainHttpTest::origin);
        lab.name("a.allowed.test", Lab.HERE);
        inside = lab.sandbox(Lab.policy(Lab.rule("request.web[0]", EgressClass.WEB, Rule.Handling.INTERCEPT, 80, List.of(), Set.of("GET", "POST"), null, null, "a.allowed.test")));
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    static void origin(SocketChannel connection, java.util.function.Consumer<String> noted) throws IOException {
        var in = connection.socket().getInputStream();
        var got = new ByteArrayOutputStream();
        while (!got.toString(StandardCharsets.ISO_8859_1).contains("\r\n\r\n")) {
            int b = in.read();
            if (b < 0) {
                break;
            }
            got.write(b);
        }
        String head = got.toString(StandardCharsets.ISO_8859_1);
        if (head.contains("Content-Length: 5")) {
            head += new String(in.readNBytes(5), StandardCharsets.ISO_8859_1);
        }
        if (head.contains("chunked")) {
            head += new String(in.readNBytes(5 + 3 + 2 + 5), StandardCharsets.ISO_8859_1);
        }
        noted.accept(head);
        Inside.say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
    }

    private String exchange(String request) throws IOException {
        try (var channel = inside.to("a.allowed.test", 80)) {
            Inside.say(channel, request);
            return Inside.hear(channel);
        }
    }

    @Test
    void aRequestArrivesWithItsHostAndItsAnswerComesBack() throws Exception {
        assertThat(exchange("GET /x?y=1 HTTP/1.1\r\nHost: a.allowed.test\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n")).endsWith("\r\n\r\nok");
        assertThat(lab.arrivals.getLast()).isEqualTo("45.0.0.1:80 GET /x?y=1 HTTP/1.1\r\nHost: a.allowed.test\r\nAccept: */*\r\nConnection: close\r\n\r\n");
    }

    @Test
    void bodiesGoOnAsTheyAreFramed() throws Exception {
        assertThat(exchange("POST / HTTP/1.1\r\nHost: a.allowed.test\r\nContent-Length: 5\r\n\r\nhello")).endsWith("ok");
        assertThat(lab.arrivals.getLast()).endsWith("\r\n\r\nhello");
        assertThat(exchange("POST / HTTP/1.1\r\nHost: a.allowed.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")).endsWith("ok");
        assertThat(lab.arrivals.getLast()).endsWith("\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    }

    @Test
    void aBudgetOrARateThatIsUsedUpIsToldAsSuch() throws Exception {
        String get = "GET / HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n";
        lab.apply(inside, Lab.policy(Lab.rule("request.web[0]", EgressClass.WEB, Rule.Handling.OPAQUE, 80, List.of(), Set.of(), new Rate(1, java.time.Duration.ofHours(1)), null, "a.allowed.test")), null);
        assertThat(exchange(get)).endsWith("ok");
        assertThat(exchange(get)).startsWith("HTTP/1.1 403 ").contains("\r\nRetry-After: 3", "\"reason\":\"rate\"", "\"retryAfterSeconds\":3");
        lab.apply(inside, Lab.policy(Lab.rule("request.web[0]", EgressClass.WEB, Rule.Handling.OPAQUE, 80, List.of(), Set.of(), null, 50L, "a.allowed.test")), null);
        exchange(get);
        org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.arrivals).filteredOn(a -> a.endsWith(" connection")).hasSize(2));
        assertThat(exchange(get)).startsWith("HTTP/1.1 403 ").contains("\"reason\":\"budget\"", "\"rule\":\"request.web[0]\"").doesNotContain("retryAfter");
        assertThat(lab.arrivals).filteredOn(a -> a.endsWith(" connection")).as("nothing is dialled").hasSize(2);
        assertThat(lab.told(inside)).contains("request.denied a.allowed.test rate", "request.denied a.allowed.test budget");
    }

    @Test
    void aSecondRequestOnAnApprovedConnectionNeverLeaves() throws Exception {
        assertThat(exchange("GET /1 HTTP/1.1\r\nHost: a.allowed.test\r\n\r\nGET /2 HTTP/1.1\r\nHost: denied.test\r\n\r\n")).endsWith("ok");
        assertThat(lab.arrivals).hasSize(2).noneMatch(a -> a.contains("denied.test"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "GET / HTTP/1.1\r\nHost: denied.test\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.allowed.test\r\nHost: denied.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.allowed.test:8080\r\n\r\n",
        "GET http://denied.test/ HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n",
        "CONNECT denied.test:443 HTTP/1.1\r\nHost: denied.test:443\r\n\r\n",
        "CONNECT a.allowed.test:80 HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n",
        "DELETE / HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.allowed.test\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.allowed.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.allowed.test\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "POST / HTTP/1.1\r\nHost: a.allowed.test\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\nHost: a.allowed.test\n\n",
        "GET / HTTP/1.1\r\nHost : a.allowed.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.allowed.test\r\nX: 1\r\n 2\r\n\r\n",
        "GET / HTTP/0.9\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a.allowed.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /\u00c4\u0080 HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n",
        "GET /\u00e9 HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "SSH-2.0-OpenSSH\r\n\r\n"})
    void whatIsNotOneRequestForThisHostIsRefusedAndToldWhy(String request) throws Exception {
        String answer = exchange(request);
        assertThat(answer).matches(a -> a.startsWith("HTTP/1.1 403 ") || a.startsWith("HTTP/1.1 400 "), answer).contains("\"error\":\"egress_refused\"").contains("\"host\":\"a.allowed.test\"", "\"rule\":\"request.web[0]\"").doesNotContain("null");
        assertThat(lab.arrivals).isEmpty();
        assertThat(lab.told(inside)).anyMatch(t -> t.startsWith("request.denied a.allowed.test "));
    }

    @Test
    void anOriginThatIsNotThereIsA502ThatSaysHostAndReason() throws Exception {
        lab.name("a.allowed.test", "45.0.0.77");
        assertThat(exchange("GET / HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n")).startsWith("HTTP/1.1 502 Bad Gateway\r\n").contains("\"error\":\"egress_failed\"", "\"host\":\"a.allowed.test\"", "\"reason\":\"unreachable\"");
        assertThat(lab.told(inside)).contains("connect.failed a.allowed.test -");
    }

    @Test
    void thePathOfWhatWentOutIsOnRecord() throws Exception {
        exchange("GET /one/two?secret=3 HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n");
        var connect = lab.records(inside).stream().filter(r -> r.action().equals("connect")).findFirst().orElseThrow().fields();
        assertThat(connect).containsEntry("method", "GET").containsEntry("path", "/one/two");
        assertThat(connect.toString()).doesNotContain("secret");
    }
}
