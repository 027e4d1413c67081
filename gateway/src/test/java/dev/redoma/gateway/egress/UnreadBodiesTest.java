// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

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

/// Origins that leave the body of a request lying, and would take it for the next one; and fields by which some change the method of one.
@Timeout(60)
class UnreadBodiesTest {
    private static final String A = "a.allowed.test";
    private static final String HIDDEN = "DELETE /secret HTTP/1.1\r\nHost: b.other.test\r\n\r\n";

    @TempDir
    Path dir;

    private Lab lab;
    private Inside inside;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.origin(Lab.HERE, 443, SecureOrigin.http1(r -> SecureOrigin.ok(r, "served " + r.path()) && !r.field("connection").equalsIgnoreCase("close"), A));
        lab.name(A, Lab.HERE);
        inside = lab.sandbox(Lab.policy(InterceptTest.rule("request.web[0]", Set.of("GET", "POST"), null, null, List.of("/ok/**"), A)));
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    private List<String> requests() {
        return lab.arrivals.stream().filter(a -> !a.endsWith(" connection")).map(a -> a.substring(a.indexOf(' ') + 1)).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST"})
    void whatABodyHidesIsNoRequest(String method) throws Exception {
        String chunked = "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(HIDDEN.length()) + "\r\n" + HIDDEN + "\r\n0\r\n\r\n";
        for (String body : List.of("Content-Length: " + HIDDEN.length() + "\r\n\r\n" + HIDDEN, "Connection: keep-alive\r\nContent-Length: " + HIDDEN.length() + "\r\n\r\n" + HIDDEN, chunked)) {
            try (var client = SecureClient.to(lab, inside, A)) {
                assertThat(client.ask(method + " /ok/1 HTTP/1.1\r\nHost: " + A + "\r\n" + body).body()).isEqualTo("served /ok/1");
                assertThat(client.ended()).isTrue();
            }
        }
        assertThat(requests()).hasSize(3).allMatch(r -> r.equals(method + " /ok/1 " + A));
    }

    @Test
    void aConnectionIsKeptWhereThereIsNoBody() throws Exception {
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask("POST /ok/1 HTTP/1.1\r\nHost: " + A + "\r\nContent-Length: 0\r\n\r\n").body()).isEqualTo("served /ok/1");
            assertThat(client.ask(SecureClient.get("/ok/2", A)).body()).isEqualTo("served /ok/2");
        }
        assertThat(requests()).containsExactly("POST /ok/1 " + A, "GET /ok/2 " + A);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-HTTP-Method-Override", "x-http-method", "X-Method-Override"})
    void aMethodThatAFieldNamesIsDecidedToo(String field) throws Exception {
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask("GET /ok/1 HTTP/1.1\r\nHost: " + A + "\r\n" + field + ": post\r\n\r\n").status()).isEqualTo(200);
            var refused = client.ask("GET /ok/2 HTTP/1.1\r\nHost: " + A + "\r\n" + field + ": DELETE\r\n\r\n");
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.body()).contains("\"reason\":\"method\"", "one of its fields names another method");
        }
        assertThat(requests()).containsExactly("GET /ok/1 " + A);
        assertThat(lab.records(inside)).filteredOn(r -> r.action().equals("request.denied")).extracting(r -> r.fields().get("path") + " " + r.fields().get("reason")).containsExactly("/ok/2 method");
    }
}
