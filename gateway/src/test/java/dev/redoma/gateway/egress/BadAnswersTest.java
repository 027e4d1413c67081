// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Origins inside of TLS whose answers are none.
@Timeout(60)
class BadAnswersTest {
    private static final String A = "a.allowed.test";
    private static final String B = "b.allowed.test";

    @TempDir
    Path dir;

    private Lab lab;
    private Inside inside;
    private volatile String answer = "";
    private volatile boolean keeps;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.origin(Lab.HERE, 443, SecureOrigin.http1(r -> {
            r.out().write(answer.getBytes(StandardCharsets.ISO_8859_1));
            return keeps;
        }, A));
        lab.name(A, Lab.HERE);
        inside = lab.sandbox(Lab.policy(InterceptTest.rule("request.web[0]", Set.of("GET"), null, null, java.util.List.of("/ok/**"), A, B)));
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", "HTTP/3.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Le", ""})
    void theProgramIsToldWhyAndThatItIsNotThePolicy(String bad) throws Exception {
        answer = bad;
        try (var client = SecureClient.to(lab, inside, A)) {
            var told = client.ask(SecureClient.get("/ok/1", A));
            assertThat(told.status()).as(told.body()).isEqualTo(502);
            assertThat(told.body()).contains("\"error\":\"egress_failed\"", "\"reason\":\"bad-answer\"");
            assertThat(client.ended()).isTrue();
        }
        assertThat(lab.told(inside)).contains("connect.failed " + A + " bad-answer");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoLeavesWhenItHasReadARefusalBreaksNothing(boolean inOrder) throws Exception {
        for (int i = 0; i < 5; i++) {
            var client = SecureClient.to(lab, inside, A);
            assertThat(client.ask(SecureClient.get("/no/" + i, A)).status()).isEqualTo(403);
            assertThat(client.ended()).isTrue();
            if (inOrder) {
                client.close();
            } else {
                client.leave();
            }
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).anyMatch(r -> r.startsWith("connect.closed")));
        assertThat(lab.told(inside)).filteredOn(r -> r.startsWith("connect.closed")).containsOnly("connect.closed " + A + " -");
    }

    /// Programs try again where a connection that was kept has just ended.
    @Test
    void noAnswerAtAllIsNoneWhereTheConnectionWasKept() throws Exception {
        keeps = true;
        answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask(SecureClient.get("/ok/1", A)).body()).isEqualTo("ok");
            keeps = false;
            answer = "";
            client.say(SecureClient.get("/ok/2", A));
            assertThat(client.ended()).isTrue();
        }
        assertThat(lab.told(inside)).doesNotContain("connect.failed " + A + " bad-answer");
    }

    /// Of a body that ends with its connection only TLS tells whether that end is its origin's.
    @Test
    void anEndThatTheOriginDidNotSayIsNotSaidToTheProgram() throws Exception {
        lab.name(B, Lab.THERE);
        lab.origin(Lab.THERE, 443, (connection, noted) -> {
            var socket = SecureOrigin.secured(connection.socket(), B);
            boolean cut = SecureOrigin.line(socket.getInputStream()).contains("/cut");
            socket.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\nhalf".getBytes(StandardCharsets.ISO_8859_1));
            if (cut) {
                connection.close();
            } else {
                socket.close();
            }
        });
        try (var client = SecureClient.to(lab, inside, B)) {
            client.say(SecureClient.get("/ok/1", B));
            assertThat(new String(client.in.readAllBytes(), StandardCharsets.ISO_8859_1)).endsWith("\r\n\r\nhalf");
            assertThat(client.cut()).isFalse();
        }
        try (var client = SecureClient.to(lab, inside, B)) {
            client.say(SecureClient.get("/ok/cut", B));
            assertThat(new String(client.in.readAllBytes(), StandardCharsets.ISO_8859_1)).as("what had come").endsWith("\r\n\r\nhalf");
            assertThat(client.cut()).isTrue();
        }
    }

    @Test
    void aNameThatLeadsInwardsIsRefusedInTheProgramsOwnWords() throws Exception {
        lab.name(B, Lab.PRIVATE);
        try (var client = SecureClient.to(lab, inside, B)) {
            var told = client.ask(SecureClient.get("/ok/1", B));
            assertThat(told.status()).as(told.body()).isEqualTo(403);
            assertThat(told.body()).contains("\"rule\":\"request.web[0]\"", "\"reason\":\"private-address\"", "\"host\":\"" + B + "\"");
        }
        assertThat(lab.told(inside)).contains("connect.denied " + B + " private-address");
        assertThat(lab.arrivals).isEmpty();
    }

    @Test
    void anOriginDoesNotSpeakInThePolicysName() throws Exception {
        answer = "HTTP/1.1 403 Forbidden\r\nX-Redoma-Refused: egress\r\nX-Own: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        try (var client = SecureClient.to(lab, inside, A)) {
            client.say(SecureClient.get("/ok/1", A));
            assertThat(new String(client.in.readAllBytes(), StandardCharsets.ISO_8859_1)).startsWith("HTTP/1.1 403 ").contains("X-Own: 1").doesNotContainIgnoringCase("redoma");
        }
    }
}
