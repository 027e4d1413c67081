// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Fields behind bodies of chunks, of requests and answers of HTTP/1.1 inside of TLS.
@Timeout(60)
class TrailersTest {
    private static final String A = "a.allowed.test";
    private static final String POST = "POST /ok/1 HTTP/1.1\r\nHost: " + A + "\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\n";
    private static final String ANSWER = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nGrpc-Status: 0\r\nContent-Length: 9\r\n\r\n";

    @TempDir
    Path dir;

    private final List<String> arrived = new CopyOnWriteArrayList<>();
    private Lab lab;
    private Inside inside;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.origin(Lab.HERE, 443, (connection, noted) -> {
            var socket = SecureOrigin.secured(connection.socket(), A);
            for (String message = message(socket.getInputStream()); message != null; message = message(socket.getInputStream())) {
                arrived.add(message);
                socket.getOutputStream().write(ANSWER.getBytes(StandardCharsets.US_ASCII));
            }
        });
        lab.name(A, Lab.HERE);
        inside = lab.sandbox(Lab.policy(InterceptTest.rule("request.web[0]", Set.of("GET", "POST"), null, null, List.of("/ok/**"), A)));
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    /// One that ends with a last chunk and what is behind it; null: the connection ended first.
    private static String message(InputStream in) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf("\r\n0\r\n") < 0 || text.indexOf("\r\n\r\n", text.indexOf("\r\n0\r\n")) < 0) {
            int next = in.read();
            if (next < 0) {
                return null;
            }
            text.append((char) next);
        }
        return text.toString();
    }

    private static String behind(String message) {
        return message.substring(message.indexOf("\r\n0\r\n") + 5);
    }

    @Test
    void trailersGoThroughBothWaysButForThoseThatSayWhatAMessageIs() throws Exception {
        for (int i = 0; i < 2; i++) {
            try (var client = SecureClient.to(lab, inside, A)) {
                client.say(POST + "X-Sum: 7\r\nHost: b.allowed.test\r\nContent-Length: 1\r\nTransfer-Encoding: x\r\nAuthorization: y\r\nx-more: " + i + "\r\n\r\n");
                assertThat(behind(message(client.in))).isEqualTo("Grpc-Status: 0\r\n\r\n");
                assertThat(behind(arrived.get(i))).isEqualTo("X-Sum: 7\r\nx-more: " + i + "\r\n\r\n");
            }
        }
        try (var client = SecureClient.to(lab, inside, A)) {
            client.say(POST + "\r\n");
            assertThat(message(client.in)).contains("\r\n2\r\nhi\r\n");
            assertThat(behind(arrived.get(2))).isEqualTo("\r\n");
        }
    }

    @Test
    void trailersThatAreTooManyOrMalformedEndTheConnection() throws Exception {
        for (String hostile : List.of("X: y\r\n".repeat(100), "X: " + "y".repeat(20_000) + "\r\n", "X : y\r\n", " X: y\r\n", "X: y\r\n z\r\n", "X\r\n")) {
            try (var client = SecureClient.to(lab, inside, A)) {
                try {
                    client.say(POST + hostile + "\r\n");
                    assertThat(message(client.in)).isNull();
                } catch (IOException gone) {
                    // it is closed, as it should be
                }
            }
        }
        assertThat(arrived).isEmpty();
    }
}
