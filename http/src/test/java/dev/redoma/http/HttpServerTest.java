// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HttpServerTest {

    public record Thing(String name, @org.jspecify.annotations.Nullable Long size) {}

    private static Route get(String pattern, Endpoint endpoint) {
        return new Route("GET", pattern, endpoint);
    }

    @Test
    void bothFormsOfATrailingSlashAreTheSameRoute() throws Exception {
        try (var s = new Served(get("/v1/things/{id}", x -> x.json(200, new Thing(x.parameter("id"), null))))) {
            assertThat(s.get("/v1/things/a%20b").body()).isEqualTo("{\"name\":\"a b\"}").isEqualTo(s.get("/v1/things/a%20b/").body());
        }
    }

    @Test
    void anUnknownRouteSaysWhatIsServed() throws Exception {
        try (var s = new Served()) {
            var answer = s.get("/v9/nope");
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
            assertThat(answer.headers().firstValue("Server")).isEmpty();
            assertThat(answer.body()).contains("route-not-found", "This server speaks /v1.");
        }
    }

    @Test
    void aMethodThatIsNotOfferedNamesThoseThatAre() throws Exception {
        try (var s = new Served(get("/v1/x", x -> x.nothing()), new Route("PUT", "/v1/x", x -> x.nothing()))) {
            var answer = s.post("/v1/x", "{}");
            assertThat(answer.statusCode()).isEqualTo(405);
            assertThat(answer.headers().firstValue("Allow")).contains("GET, PUT");
        }
    }

    @Test
    void headIsServedByGetWithoutABody() throws Exception {
        try (var s = new Served(get("/v1/x", x -> x.json(200, new Thing("n", 1L))))) {
            var answer = s.client.send(s.request("/v1/x").method("HEAD", BodyPublishers.noBody()).build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Length")).contains("21");
            assertThat(answer.body()).isEmpty();
        }
    }

    @Test
    void brokenHttpIsAnsweredInJson() throws Exception {
        try (var s = new Served()) {
            assertThat(s.raw("GET / HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 400").contains("problem+json").doesNotContain("<");
            assertThat(s.raw("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n")).startsWith("HTTP/1.1 400").doesNotContain("<h");
            assertThat(s.raw("GET /a/%2e%2e/b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 400").doesNotContain("<h");
            assertThat(s.raw("GET / HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(40_000) + "\r\n\r\n")).startsWith("HTTP/1.1 431").doesNotContain("<h");
            assertThat(s.raw("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")).startsWith("HTTP/1.1 400");
        }
    }

    @Test
    void aProblemIsADocumentOfItsOwnStatus() throws Exception {
        try (var s = new Served(get("/v1/x", x -> {
            throw Problem.of(Code.RATE_LIMITED, "Too fast.", "Wait.").with("retryAfterSeconds", 3).raise();
        }))) {
            var answer = s.get("/v1/x");
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.headers().firstValue("Retry-After")).contains("3");
            assertThat(answer.body()).contains("\"type\":\"urn:redoma:problem:rate-limited\"", "\"retryable\":true", "\"layer\":\"policy\"");
        }
    }

    @Test
    void aFaultOfOursTellsAnIncidentAndNothingElse() throws Exception {
        try (var s = new Served(get("/v1/x", x -> {
            throw new IllegalStateException("secret detail");
        }))) {
            var answer = s.get("/v1/x");
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body()).contains("incident").doesNotContain("secret detail");
        }
    }

    @Test
    void anOversizedBodyIsRefusedWithTheCap() throws Exception {
        var endpoint = new Route("PUT", "/v1/x", x -> {
            x.body(1 << 20).readAllBytes();
            x.nothing();
        });
        try (var s = new Served(endpoint)) {
            var declared = s.client.send(s.request("/v1/x").PUT(BodyPublishers.ofByteArray(new byte[3 << 20])).build(), BodyHandlers.ofString());
            var chunked = s.client.send(
                    s.request("/v1/x").PUT(BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(new byte[3 << 20]))).build(),
                    BodyHandlers.ofString());
            assertThat(declared.statusCode()).isEqualTo(413);
            assertThat(declared.body()).contains("\"limit\":1048576");
            assertThat(chunked.statusCode()).isEqualTo(413);
            assertThat(chunked.body()).contains("\"limit\":1048576");
        }
    }

    @Test
    void aFailureInTheMiddleOfAStreamNeverLooksComplete() throws Exception {
        try (var s = new Served(get("/v1/x", x -> {
            var out = x.stream(200, "application/octet-stream", -1);
            out.write(new byte[100_000]);
            out.flush();
            throw new IllegalStateException("broke");
        }))) {
            var raw = s.raw("GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(raw).startsWith("HTTP/1.1 200").doesNotEndWith("\r\n0\r\n\r\n");
        }
    }

    @Test
    void aClientThatLeavesIsSeenByTheWriter() throws Exception {
        var seen = new AtomicReference<Throwable>();
        var done = new CountDownLatch(1);
        try (var s = new Served(get("/v1/x", x -> {
            try (var out = x.stream(200, "application/octet-stream", -1)) {
                for (int i = 0; i < 1000; i++) {
                    out.write(new byte[65_536]);
                    out.flush();
                    Thread.sleep(5);
                }
            } catch (java.io.IOException gone) {
                seen.set(gone);
                throw gone;
            } finally {
                done.countDown();
            }
        }))) {
            var stream = s.client.send(s.request("/v1/x").build(), BodyHandlers.ofInputStream());
            stream.body().read(new byte[1000]);
            stream.body().close();
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(seen.get()).isInstanceOf(ClientGone.class);
        }
    }

    @Test
    void anEndpointMayThinkLongerThanTheIdleTimeout() throws Exception {
        var settings = new HttpServer.Settings("127.0.0.1", 0, Duration.ofMillis(300), 16384, Duration.ofSeconds(1), 100);
        try (var s = new Served(settings, get("/v1/x", x -> {
            Thread.sleep(1200);
            x.json(200, new Thing("late", null));
        }))) {
            assertThat(s.get("/v1/x").body()).contains("late");
        }
    }

    @Test
    void aClientThatStallsItsBodyIsGivenUp() throws Exception {
        var settings = new HttpServer.Settings("127.0.0.1", 0, Duration.ofMillis(300), 16384, Duration.ofSeconds(1), 100);
        try (var s = new Served(settings, new Route("PUT", "/v1/x", x -> {
            x.body(1000).readAllBytes();
            x.nothing();
        }))) {
            long before = System.nanoTime();
            assertThat(s.raw("PUT /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")).startsWith("HTTP/1.1 408").contains("request-timeout");
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void aPartIsNeverTakenForTheWholeAlsoWhereTheConnectionCloses() throws Exception {
        var route = get("/v1/x", x -> {
            var out = x.stream(200, "text/plain", -1);
            out.write("begun".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            out.flush();
            if (x.query().get("cut") != null) {
                throw new IllegalStateException("broken off");
            }
        });
        try (var s = new Served(route)) {
            assertThat(s.raw("GET /v1/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).contains("chunked").contains("begun").endsWith("\r\n0\r\n\r\n");
            assertThat(s.raw("GET /v1/x?cut=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).contains("begun").doesNotEndWith("0\r\n\r\n");
        }
    }

    @Test
    void endpointsRunOnVirtualThreads() throws Exception {
        try (var s = new Served(get("/v1/x", x -> x.json(200, new Thing("" + Thread.currentThread().isVirtual(), null))))) {
            assertThat(s.get("/v1/x").body()).contains("true");
        }
    }

    @Test
    void http2WithoutTlsIsServed() throws Exception {
        try (var s = new Served(get("/v1/x", x -> x.json(200, new Thing("h2", null))))) {
            try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
                assertThat(client.send(s.request("/v1/x").build(), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
                var second = client.send(HttpRequest.newBuilder(s.uri("/v1/x")).build(), BodyHandlers.ofString());
                assertThat(second.version()).isEqualTo(HttpClient.Version.HTTP_2);
            }
        }
    }
}
