// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
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

    @TempDir
    Path dir;

    private Lab lab;
    private Inside inside;
    private volatile String answer = "";

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.origin(Lab.HERE, 443, SecureOrigin.http1(r -> {
            r.out().write(answer.getBytes(StandardCharsets.ISO_8859_1));
            return false;
        }, A));
        lab.name(A, Lab.HERE);
        inside = lab.sandbox(Lab.policy(InterceptTest.rule("request.web[0]", Set.of("GET"), null, null, java.util.List.of("/ok/**"), A)));
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", "HTTP/3.0 200 OK\r\n\r\n"})
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

    /// Programs try again where a connection that was kept has just ended.
    @Test
    void noAnswerAtAllIsNone() throws Exception {
        try (var client = SecureClient.to(lab, inside, A)) {
            client.say(SecureClient.get("/ok/1", A));
            assertThat(client.in.read()).isEqualTo(-1);
        }
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
