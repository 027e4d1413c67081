// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.gateway.OwnTime;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.HostPattern;
import dev.redoma.policy.PathPattern;
import dev.redoma.policy.Ports;
import dev.redoma.policy.Rate;
import dev.redoma.policy.Rule;
import dev.redoma.policy.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests inside of TLS: what arrives at the origins, and what the record says.
@Timeout(60)
class InterceptTest {
    private static final String A = "a.allowed.test";

    @TempDir
    Path dir;

    Lab lab;
    Inside inside;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.origin(Lab.HERE, 443, SecureOrigin.http1(r -> SecureOrigin.ok(r, "hello " + new String(r.body().readAllBytes())), A));
        lab.name(A, Lab.HERE);
        inside = lab.sandbox(Lab.policy(rule("request.web[0]", Set.of("GET", "POST"), null, null, List.of("/ok/**"), A)));
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    static Rule rule(String id, Set<String> methods, @Nullable Rate rate, @Nullable Long bytes, List<String> paths, String... hosts) {
        var targets = Arrays.stream(hosts).map(h -> (Target) new Target.Named(HostPattern.parse(h).orElseThrow(), Ports.of(443))).toList();
        return new Rule(id, EgressClass.WEB, false, targets, List.of(), methods, paths.stream().map(PathPattern::new).toList(), Rule.Handling.INTERCEPT, rate, bytes, new Rule.Place("request", "test", 0, 0));
    }

    private static EffectivePolicy all(String... hosts) {
        return Lab.policy(rule("request.web[0]", Set.of(), null, null, List.of(), hosts));
    }

    private List<String> requests() {
        return lab.arrivals.stream().filter(a -> !a.endsWith(" connection")).map(a -> a.substring(a.indexOf(' ') + 1)).toList();
    }

    @Test
    void eachRequestIsDecidedByItsMethodAndPathAndARefusalSaysWhichRuleOfWhichClass() throws Exception {
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask(SecureClient.get("/ok/one?secret=1", A)).body()).isEqualTo("hello ");
            assertThat(client.ask("POST /ok/two HTTP/1.1\r\nHost: " + A + "\r\nContent-Length: 4\r\n\r\nfour").body()).isEqualTo("hello four");
        }
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask("POST /ok/three HTTP/1.1\r\nHost: " + A + "\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").body()).isEqualTo("hello abcde");
        }
        try (var client = SecureClient.to(lab, inside, A)) {
            var refused = client.ask(SecureClient.get("/other", A));
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.body()).contains("\"class\":\"web\"", "\"rule\":\"request.web[0]\"", "\"host\":\"" + A + "\"", "\"reason\":\"path\"");
            assertThat(client.ended()).isTrue();
        }
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask("DELETE /ok/one HTTP/1.1\r\nHost: " + A + "\r\n\r\n").body()).contains("\"reason\":\"method\"");
        }
        assertThat(requests()).containsExactly("GET /ok/one?secret=1 " + A, "POST /ok/two " + A, "POST /ok/three " + A);
        var records = lab.records(inside);
        assertThat(records).filteredOn(r -> r.action().equals("request")).extracting(r -> r.fields().get("method") + " " + r.fields().get("path"))
                .containsExactly("GET /ok/one", "POST /ok/two", "POST /ok/three");
        assertThat(records).filteredOn(r -> r.action().equals("request.denied")).extracting(r -> r.fields().get("method") + " " + r.fields().get("path") + " " + r.fields().get("reason"))
                .containsExactly("GET /other path", "DELETE /ok/one method");
        assertThat(records).filteredOn(r -> r.action().equals("connect")).allMatch(r -> Boolean.TRUE.equals(r.fields().get("intercepted")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /ok/1 HTTP/1.1\r\nHost: b.allowed.test\r\n\r\n", "GET /ok/1 HTTP/1.1\r\n\r\n", "GET /ok/1 HTTP/1.1\r\nHost: a.allowed.test\r\nHost: b.allowed.test\r\n\r\n",
        "GET /ok/1 HTTP/1.1\r\nHost: a.allowed.test\r\nHost: a.allowed.test\r\n\r\n", "GET https://b.allowed.test/ok/1 HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n",
        "GET https://a.allowed.test/ok/1 HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n", "CONNECT a.allowed.test:443 HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n",
        "POST /ok/1 HTTP/1.1\r\nHost: a.allowed.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "POST /ok/1 HTTP/1.1\r\nHost: a.allowed.test\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "POST /ok/1 HTTP/1.1\r\nHost: a.allowed.test\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "GET /ok/1 HTTP/1.1\nHost: a.allowed.test\n\n", "GET /ok/1 HTTP/1.1\r\nHost: a.allowed.test\r\nX: 1\r\n 2\r\n\r\n",
        "GET /ok/1 HTTP/1.1\r\nHost : a.allowed.test\r\n\r\n", "GET /ok/1 HTTP/1.1\r\nHost: a.allowed.test:444\r\n\r\n", "GET /ok/1 HTTP/1.1\r\nHost: user@a.allowed.test\r\n\r\n",
        "GET /ok/1 HTTP/1.1\r\nHost: a.allowed.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n",
        "GET /ok/../other HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n", "GET /ok/%2e%2e/other HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n", "GET /ok/x?y#z HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n", "GET /ok/%c0%ae%c0%ae/other HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n",
        "GET /ok//x HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /ok/\u00e9 HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n"})
    void whatIsNotOneRequestForThisHostIsRefusedRecordedAndNeverArrives(String hostile) throws Exception {
        lab.name("b.allowed.test", Lab.HERE);
        lab.apply(inside, Lab.policy(rule("request.web[0]", Set.of(), null, null, List.of("/ok/**"), A, "b.allowed.test")), null);
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask(SecureClient.get("/ok/first", A)).status()).isEqualTo(200);
            var answer = client.ask(hostile);
            assertThat(answer.status()).as(answer.body()).isIn(400, 403);
            assertThat(answer.body()).contains("\"error\":\"egress_refused\"", "\"host\":\"" + A + "\"");
            assertThat(client.ended()).isTrue();
        }
        assertThat(requests()).containsExactly("GET /ok/first " + A);
        assertThat(lab.told(inside)).anyMatch(t -> t.startsWith("request.denied " + A));
    }

    @Test
    void aSecondRequestBehindARefusedOneNeverArrives() throws Exception {
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask("POST /other HTTP/1.1\r\nHost: " + A + "\r\nContent-Length: 5\r\n\r\nhello" + SecureClient.get("/ok/smuggled", A)).status()).isEqualTo(403);
            assertThat(client.ended()).isTrue();
        }
        assertThat(requests()).isEmpty();
    }

    @Test
    void anOriginWithAnotherCertificateIsNotBelieved() throws Exception {
        lab.name("b.allowed.test", Lab.HERE); // whose certificate is for a.allowed.test
        lab.apply(inside, all("b.allowed.test"), null);
        try (var client = SecureClient.to(lab, inside, "b.allowed.test")) {
            var answer = client.ask(SecureClient.get("/", "b.allowed.test"));
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.body()).contains("\"error\":\"egress_failed\"", "\"reason\":\"certificate\"");
        }
        assertThat(requests().stream().filter(r -> r.startsWith("GET"))).isEmpty();
        assertThat(lab.told(inside)).contains("connect.failed b.allowed.test certificate");
    }

    @Test
    void eachSandboxHasAnAuthorityOfItsOwnThatOutlivesTheServer() throws Exception {
        var other = lab.sandbox(all(A));
        assertThat(lab.gateway.authority(other.id)).isNotEqualTo(lab.gateway.authority(inside.id));
        String before = lab.gateway.authority(inside.id).orElseThrow();
        assertThatThrownBy(() -> {
            var socket = SecureClient.trusting(before).getSocketFactory().createSocket(other.to(A, 443).socket(), A, 443, true);
            ((javax.net.ssl.SSLSocket) socket).startHandshake();
        }).hasStackTraceContaining("PKIX path");
        lab.stop();
        lab.start();
        lab.apply(inside, all(A), null);
        assertThat(lab.gateway.authority(inside.id)).contains(before);
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask(SecureClient.get("/again", A)).status()).isEqualTo(200);
            assertThat(client.shown().getSubjectAlternativeNames()).anyMatch(n -> n.contains(A));
        }
    }

    @Test
    void nw15AnEventArrivesWhenItIsSentAndNotWithTheLast() throws Exception {
        var next = new java.util.concurrent.Semaphore(0);
        lab.origin(Lab.THERE, 443, SecureOrigin.http1(r -> {
            SecureOrigin.say(r, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
            for (int i = 0; i < 5; i++) {
                next.acquireUninterruptibly();
                SecureOrigin.say(r, "data: " + i + "\n\n");
            }
            return false;
        }, "events.allowed.test"));
        lab.name("events.allowed.test", Lab.THERE);
        lab.apply(inside, all("events.allowed.test"), null);
        try (var client = SecureClient.to(lab, inside, "events.allowed.test")) {
            client.say(SecureClient.get("/", "events.allowed.test"));
            for (String line = SecureOrigin.line(client.in); !line.isEmpty(); line = SecureOrigin.line(client.in)) {
                assertThat(line).doesNotContain("chunked");
            }
            for (int i = 0; i < 5; i++) {
                var time = new OwnTime();
                next.release();
                assertThat(SecureOrigin.line(client.in)).isEqualTo("data: " + i);
                assertThat(time.since()).isLessThan(Duration.ofMillis(300));
                SecureOrigin.line(client.in);
            }
            assertThat(client.ended()).isTrue();
        }
    }

    @Test
    void aClientThatWaitsForLeaveToSendABodyGetsIt() throws Exception {
        lab.origin(Lab.THERE, 443, SecureOrigin.http1(r -> {
            SecureOrigin.say(r, "HTTP/1.1 100 Continue\r\n\r\n");
            return SecureOrigin.ok(r, new String(r.body().readAllBytes()));
        }, "up.allowed.test"));
        lab.name("up.allowed.test", Lab.THERE);
        lab.apply(inside, all("up.allowed.test"), null);
        try (var client = SecureClient.to(lab, inside, "up.allowed.test")) {
            client.say("PUT / HTTP/1.1\r\nHost: up.allowed.test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
            assertThat(client.answer().status()).isEqualTo(100);
            assertThat(client.ask("hello").body()).isEqualTo("hello");
        }
    }

    @Test
    void aWebSocketGoesThroughAndNothingElseDoes() throws Exception {
        lab.origin(Lab.THERE, 443, SecureOrigin.http1(r -> {
            String accept = r.path().equals("/lie") ? "nonsense" : "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
            SecureOrigin.say(r, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\nfirst");
            byte[] got = r.in().readNBytes(6);
            SecureOrigin.say(r, "got " + new String(got));
            return false;
        }, "ws.allowed.test"));
        lab.name("ws.allowed.test", Lab.THERE);
        lab.apply(inside, all("ws.allowed.test"), null);
        String upgrade = " HTTP/1.1\r\nHost: ws.allowed.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        try (var client = SecureClient.to(lab, inside, "ws.allowed.test")) {
            assertThat(client.ask("GET /" + upgrade).status()).isEqualTo(101);
            assertThat(new String(client.in.readNBytes(5))).isEqualTo("first");
            client.say("second");
            assertThat(new String(client.in.readAllBytes())).isEqualTo("got second");
        }
        try (var client = SecureClient.to(lab, inside, "ws.allowed.test")) {
            var answer = client.ask("GET /lie" + upgrade);
            assertThat(answer.status()).isEqualTo(502);
            assertThat(client.ended()).isTrue();
        }
    }

    @Test
    void aPolicyThatDoesNotAllowARequestUnderWayClosesItAndLeavesOthersOpen() throws Exception {
        var held = new CountDownLatch(1);
        lab.origin(Lab.THERE, 443, SecureOrigin.http1(r -> {
            SecureOrigin.say(r, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
            if (r.path().equals("/a")) {
                try {
                    held.await();
                } catch (InterruptedException e) {
                    return false;
                }
            }
            return SecureOrigin.say(r, "world");
        }, "slow.allowed.test"));
        lab.name("slow.allowed.test", Lab.THERE);
        lab.apply(inside, Lab.policy(rule("request.web[0]", Set.of(), null, null, List.of("/a", "/b"), "slow.allowed.test")), null);
        try (var a = SecureClient.to(lab, inside, "slow.allowed.test"); var b = SecureClient.to(lab, inside, "slow.allowed.test")) {
            a.say(SecureClient.get("/a", "slow.allowed.test"));
            while (!SecureOrigin.line(a.in).isEmpty()) {
                // its head
            }
            assertThat(new String(a.in.readNBytes(5))).isEqualTo("hello");
            assertThat(b.ask(SecureClient.get("/b", "slow.allowed.test")).body()).isEqualTo("helloworld");
            var time = new OwnTime();
            lab.apply(inside, Lab.policy(rule("request.web[0]", Set.of(), null, null, List.of("/b"), "slow.allowed.test")), null);
            assertThat(a.ended()).isTrue();
            assertThat(time.since()).isLessThan(Duration.ofMillis(100));
            assertThat(b.ask(SecureClient.get("/b", "slow.allowed.test")).body()).isEqualTo("helloworld");
            assertThat(b.ask(SecureClient.get("/a", "slow.allowed.test")).status()).isEqualTo(403);
        } finally {
            held.countDown();
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).contains("connect.closed slow.allowed.test policy"));
    }

    @Test
    void ratesCountRequestsAndBytesBothWays() throws Exception {
        lab.apply(inside, Lab.policy(rule("request.web[0]", Set.of(), new Rate(2, Duration.ofHours(1)), null, List.of(), A)), null);
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask(SecureClient.get("/1", A)).status()).isEqualTo(200);
            assertThat(client.ask(SecureClient.get("/2", A)).status()).isEqualTo(200);
            var refused = client.ask(SecureClient.get("/3", A));
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.body()).contains("\"reason\":\"rate\"", "\"retryAfterSeconds\":", "the rate of its rule (2/h) is used up");
            var free = java.util.regex.Pattern.compile("(?s).*Retry-After: (\\d+)\n.*").matcher(refused.head());
            assertThat(free.matches()).as(refused.head()).isTrue();
            assertThat(Integer.parseInt(free.group(1))).isBetween(1, 1800);
        }
        lab.apply(inside, Lab.policy(rule("request.web[1]", Set.of(), null, 100_000L, List.of(), A)), null);
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThatThrownBy(() -> client.ask("POST /big HTTP/1.1\r\nHost: " + A + "\r\nContent-Length: 200000\r\n\r\n" + "x".repeat(200_000))).isInstanceOf(java.io.IOException.class);
        }
        assertThat(requests()).doesNotContain("GET /3 " + A);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).contains("connect.closed " + A + " bytes"));
        long connections = lab.arrivals.stream().filter(a -> a.endsWith(" connection")).count();
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask(SecureClient.get("/4", A)).body()).contains("\"reason\":\"budget\"", "\"rule\":\"request.web[1]\"", "the byte budget of its rule (100000 bytes");
        }
        for (int i = 0; i < 3; i++) {
            try (var client = SecureClient.to(lab, inside, A, "h2")) {
                assertThat(client.socket.getApplicationProtocol()).isEqualTo("h2");
                client.say("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
                new Frame(Frame.SETTINGS, 0, 0, new byte[0]).write(client.socket.getOutputStream());
                new Frame(Frame.HEADERS, Frame.END_HEADERS | Frame.END_STREAM, 1, Http2Talk.block(":method=GET|:scheme=https|:authority=" + A + "|:path=/5")).write(client.socket.getOutputStream());
                Frame frame = Frame.read(client.in);
                while (frame != null && frame.type() != Frame.DATA) {
                    frame = Frame.read(client.in);
                }
                assertThat(new String(frame.payload())).contains("\"error\":\"egress_refused\"", "\"reason\":\"budget\"");
            }
        }
        assertThat(lab.arrivals.stream().filter(a -> a.endsWith(" connection"))).as("nothing is dialled").hasSize((int) connections);
        assertThat(lab.told(inside)).contains("connect.denied " + A + " budget");
        assertThat(lab.gateway.refused(inside.id).orElseThrow().connections()).isEqualTo(4);
    }

    static String[] faults() {
        return new String[] {"GET /ok/1 HTTP/1.1\r\nHost: " + A + "\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n|upgrade|it asks for a change to another protocol",
            "GET https://a.allowed.test/ok/1 HTTP/1.1\r\nHost: " + A + "\r\n\r\n|absolute-form|its target is no path", "CONNECT / HTTP/1.1\r\nHost: " + A + "\r\n\r\n|connect|it asks for a tunnel",
            "GET /ok/1 HTTP/1.1\r\nHost: b.allowed.test\r\n\r\n|host-mismatch|it does not say, in one Host", "X".repeat(40) + " /ok/1 HTTP/1.1\r\nHost: " + A + "\r\n\r\n|request-malformed|its method is longer than 32",
            "GET /ok/1 HTTP/1.1\r\nHost: " + A + "\r\nX: " + "x".repeat(100_000) + "\r\n\r\n|request-malformed|its head is longer than 32 KiB",
            "GET /ok/1 HTTP/1.1\r\nHost: " + A + "\r\n" + "X: 1\r\n".repeat(300) + "\r\n|request-malformed|it has more than 256 fields",
            "GET /ok/1 HTTP/1.1\r\nHost : " + A + "\r\n\r\n|request-malformed|it is no request that can be read in one way only: "};
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.MethodSource("faults")
    void eachFaultOfARequestHasASentenceOfItsOwn(String fault) throws Exception {
        String[] parts = fault.split("\\|");
        try (var client = SecureClient.to(lab, inside, A)) {
            var answer = client.ask(parts[0]);
            assertThat(answer.body()).contains("\"reason\":\"" + parts[1] + "\"", parts[2], "\"rule\":\"request.web[0]\"").doesNotContain("null");
        }
        assertThat(requests()).isEmpty();
    }

    @Test
    void onlyWhatBreaksIsBroken() throws Exception {
        var held = new CountDownLatch(1);
        lab.origin(Lab.THERE, 443, SecureOrigin.http1(r -> {
            if (r.path().equals("/ok/held")) {
                held.countDown();
                for (int i = 0; i < 1000; i++) {
                    SecureOrigin.say(r, i == 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" : "x".repeat(100_000));
                }
            }
            SecureOrigin.say(r, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + (r.path().equals("/ok/last") ? "Connection: close\r\n" : "") + "\r\nok");
            return !r.path().equals("/ok/last");
        }, "b.allowed.test"));
        lab.name("b.allowed.test", Lab.THERE);
        for (String path : List.of("/ok/kept", "/ok/last", "/ok/reset")) {
            var box = lab.sandbox(all("b.allowed.test"));
            try (var client = SecureClient.to(lab, box, "b.allowed.test")) {
                assertThat(client.ask(SecureClient.get(path, "b.allowed.test")).body()).isEqualTo("ok");
                if (path.equals("/ok/reset")) {
                    client.reset();
                }
            }
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(box)).as(path).anyMatch(t -> t.startsWith("connect.closed")));
            assertThat(lab.told(box)).as(path).contains("connect.closed b.allowed.test -");
        }
        var box = lab.sandbox(all("b.allowed.test"));
        try (var client = SecureClient.to(lab, box, "b.allowed.test")) {
            client.say(SecureClient.get("/ok/held", "b.allowed.test"));
            held.await();
            client.reset();
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(box)).contains("connect.closed b.allowed.test broken"));
    }

    @Test
    void withoutARecordNoRequestGoesOn() throws Exception {
        try (var client = SecureClient.to(lab, inside, A)) {
            assertThat(client.ask(SecureClient.get("/ok/1", A)).status()).isEqualTo(200);
            lab.store.close();
            assertThatThrownBy(() -> client.ask(SecureClient.get("/ok/2", A))).isInstanceOf(java.io.IOException.class);
        }
        assertThat(requests()).containsExactly("GET /ok/1 " + A);
    }

    @Test
    void anAddressIsInterceptedByItsOwnCertificateAndTellsNoName() throws Exception {
        lab.origin(Lab.THERE, 443, SecureOrigin.http1(r -> SecureOrigin.ok(r, "here"), Lab.THERE));
        lab.apply(inside, all("*"), null);
        var address = java.net.InetAddress.ofLiteral(Lab.THERE);
        try (var client = new SecureClient(lab, inside, inside.connect(address, 443), Lab.THERE, false)) {
            assertThat(client.ask(SecureClient.get("/", Lab.THERE)).body()).isEqualTo("here");
            assertThat(client.ask(SecureClient.get("/", A)).status()).isEqualTo(403);
        }
        assertThatThrownBy(() -> new SecureClient(lab, inside, inside.connect(address, 443), A, true)).isInstanceOf(java.io.IOException.class);
        assertThat(requests().stream().filter(r -> r.startsWith("GET"))).containsExactly("GET / " + Lab.THERE);
    }

    @Test
    void aNameWhoseRequestsAreSeenIsNotReachedByItsAddressUnderAnOpaqueRule() throws Exception {
        lab.apply(inside, Lab.policy(Lab.web(443, "*"), rule("request.web[1]", Set.of(), null, null, List.of("/ok/**"), A)), null);
        assertThatThrownBy(() -> new SecureClient(lab, inside, inside.connect(java.net.InetAddress.ofLiteral(Lab.HERE), 443), A, true)).isInstanceOf(java.io.IOException.class);
        assertThat(requests()).isEmpty();
        assertThat(lab.told(inside)).anyMatch(t -> t.endsWith("sni-denied"));
    }

    /// What nobody answers is told like a refusal, in what the program speaks; what nobody resolves too.
    @Test
    void anOriginThatIsNotThereIsA502ThatSaysHostAndReason() throws Exception {
        lab.name("dead.allowed.test", "45.0.0.77");
        lab.apply(inside, all("dead.allowed.test", "gone.allowed.test"), null);
        for (String[] one : new String[][] {{"dead.allowed.test", "unreachable"}, {"gone.allowed.test", "no-address"}}) {
            for (String protocol : List.of("", "http/1.1")) {
                try (var client = protocol.isEmpty() ? SecureClient.to(lab, inside, one[0]) : SecureClient.to(lab, inside, one[0], protocol)) {
                    var answer = client.ask(SecureClient.get("/", one[0]));
                    assertThat(answer.status()).isEqualTo(502);
                    assertThat(answer.body()).contains("\"error\":\"egress_failed\"", "\"host\":\"" + one[0] + "\"", "\"reason\":\"" + one[1] + "\"");
                }
            }
            assertThat(lab.told(inside)).anyMatch(t -> t.startsWith("connect.failed " + one[0]));
        }
    }
}
