// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redoma.model.wire.Exposure;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What passes between a client and an app whose port is exposed, and what does not.
@Timeout(300)
class PreviewWireTest {
    private static RealServer server;
    private static PerlApp app;
    private static Exposure open;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(PerlApp.offered(), "no perl or ldd on this host");
        server = RealServer.start(Map.of());
        PerlApp.template(server);
        app = PerlApp.start(server, null);
        open = app.expose(null, null);
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private static String host() {
        return PerlApp.PORT + "-" + app.sandbox + ".localhost:" + URI.create(server.router()).getPort();
    }

    private static String token() {
        return "Redoma-Preview-Token: " + open.token();
    }

    /// A client's end of a WebSocket.
    private static final class Talk implements WebSocket.Listener {
        final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        final BlockingQueue<String> pongs = new LinkedBlockingQueue<>();
        final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                texts.add(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            pongs.add(StandardCharsets.UTF_8.decode(message).toString());
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.complete(status);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed.complete(-1);
        }

        String next() throws InterruptedException {
            var next = texts.poll(60, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("no message came");
            }
            return next;
        }
    }

    private static WebSocket dial(Talk talk, Exposure by) {
        return server.client().newWebSocketBuilder().subprotocols("chat.v2", "chat.v1").connectTimeout(Duration.ofSeconds(60)).header("E2b-Sandbox-Id", app.sandbox).header("E2b-Sandbox-Port", "3000")
                .header("Redoma-Preview-Token", by.token()).header("Origin", "http://" + host()).buildAsync(URI.create(server.router().replace("http", "ws") + "/ws"), talk).join();
    }

    @Test
    void pv02_aWebSocketPassesWithItsSubprotocolLargeFramesPingsAndCloseCodes() throws Exception {
        var talk = new Talk();
        var socket = dial(talk, open);
        assertThat(socket.getSubprotocol()).isEqualTo("chat.v2");
        assertThat(talk.next()).contains("sec-websocket-key").doesNotContain("rpt1").doesNotContain("e2b-sandbox");
        var large = "0123456789abcdef".repeat(65_536);
        socket.sendText(large, true).join();
        assertThat(talk.next()).isEqualTo(large);
        socket.sendPing(ByteBuffer.wrap("are you there".getBytes(StandardCharsets.UTF_8))).join();
        assertThat(talk.pongs.poll(60, TimeUnit.SECONDS)).isEqualTo("are you there");
        socket.sendText("close 4001", true).join();
        assertThat(talk.closed.get(60, TimeUnit.SECONDS)).isEqualTo(4001);
    }

    @Test
    void aWebSocketEndsWhenItsExposureIsRevoked() throws Exception {
        var mine = app.expose(null, null);
        var talk = new Talk();
        dial(talk, mine);
        talk.next();
        app.revoke(mine);
        long revoked = System.nanoTime();
        talk.closed.get(60, TimeUnit.SECONDS);
        assertThat(Duration.ofNanos(System.nanoTime() - revoked)).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void aWebSocketEndsWithTheTimeOfItsExposure() throws Exception {
        var mine = app.expose(null, 2000L);
        var talk = new Talk();
        dial(talk, mine);
        talk.next();
        talk.closed.get(60, TimeUnit.SECONDS);
        assertThat(Duration.between(mine.expiresAt(), java.time.Instant.now())).isBetween(Duration.ZERO, Duration.ofSeconds(3));
    }

    @Test
    void pv07_eventsArriveAsTheyAreSentAndUploadsWhole() throws Exception {
        var events = server.client().send(app.to("/events", open.token()).GET().build(), BodyHandlers.ofInputStream());
        events.body().readNBytes(9);
        long worst = 0;
        for (int i = 0; i < 10; i++) {
            long asked = System.nanoTime();
            events.body().readNBytes(9);
            worst = Math.max(worst, System.nanoTime() - asked);
        }
        events.body().close();
        assertThat(Duration.ofNanos(worst)).as("between two events that are sent 100 ms apart").isLessThan(Duration.ofMillis(2000));
        var bytes = new byte[20 << 20];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 >>> 3);
        }
        var sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        assertThat(app.send(app.to("/sum", open.token()).POST(BodyPublishers.ofByteArray(bytes))).body()).isEqualTo(sum);
    }

    @Test
    void aClientOfHttp2ReachesItAndItsStreamAloneIsEndedByARevocation() throws Exception {
        try (var http2 = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
            var mine = app.expose(null, null);
            var first = http2.send(app.to("/echo", open.token()).GET().build(), BodyHandlers.ofString());
            assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(first.body()).startsWith("GET /echo HTTP/1.1\n");
            var ends = http2.send(app.to("/flood", mine.token()).GET().build(), BodyHandlers.ofInputStream());
            var stays = http2.send(app.to("/events", open.token()).GET().build(), BodyHandlers.ofInputStream());
            assertThat(ends.version()).isEqualTo(HttpClient.Version.HTTP_2);
            ends.body().readNBytes(1 << 20); // and then nobody reads: the flow control of the stream holds the router
            app.revoke(mine);
            var all = new ByteArrayOutputStream();
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> ends.body().transferTo(all)).isInstanceOf(java.io.IOException.class);
            assertThat(all.size()).as("what was on its way").isLessThan(32 << 20);
            assertThat(stays.body().readNBytes(200)).hasSize(200);
            stays.body().close();
        }
    }

    @Test
    void pv01_hostOriginAndForwardedFieldsAgreeForRequestsAndUpgrades() throws Exception {
        var plain = app.rawAt(host(), "GET /echo", token(), "Origin: http://" + host(), "X-Forwarded-For: 10.9.9.9", "X-Forwarded-Host: evil.example.com", "X-Forwarded-Port: 1", "Forwarded: host=evil.example.com",
                "X-Real-IP: 10.9.9.9", "X-Original-URL: /admin", "X-Rewrite-URL: /admin", "X_Forwarded_For: 10.9.9.9", "X-Forwarded_Host: evil.example.com", "True-Client-IP: 10.9.9.9", "CF-Connecting-IP: 10.9.9.9", "x_real_ip: 10.9.9.9",
                "X-Forwarded: for=10.9.9.9", "X_Api_Key: 10.9.9.9", "Redoma_Preview_Token: 10.9.9.9", "X-HTTP-Host-Override: evil.example.com");
        assertThat(plain).startsWith("HTTP/1.1 200").contains("\nHost: " + host() + "\n").contains("\nOrigin: http://" + host() + "\n").contains("\nX-Forwarded-Host: " + host() + "\n")
                .contains("\nX-Forwarded-Proto: http\n").contains("\nX-Forwarded-For: 127.0.0.1\n").doesNotContain("evil").doesNotContain("10.9.9.9").doesNotContain("/admin").doesNotContain("X-Forwarded-Port");
        var talk = new Talk();
        dial(talk, open);
        var at = URI.create(server.router());
        assertThat(talk.next()).contains("\nhost: " + at.getAuthority() + "\n").contains("\norigin: http://" + host() + "\n").contains("\nx-forwarded-host: " + at.getAuthority() + "\n").contains("\nx-forwarded-for: 127.0.0.1\n");
        var masked = EnvdClient.create(server, "{\"templateID\":\"app\",\"timeout\":600,\"network\":{\"maskRequestHost\":\"localhost:${PORT}\"}}");
        var own = PerlApp.of(server, masked.sandbox).listening(PerlApp.PORT);
        var name = PerlApp.PORT + "-" + masked.sandbox + ".localhost";
        assertThat(own.rawAt(name, "GET /echo", "Origin: http://" + name)).contains("\nHost: localhost:3000\n").contains("\nOrigin: http://localhost:3000\n").contains("\nX-Forwarded-Host: " + name + "\n");
        assertThat(own.rawAt(name, "GET /echo", "Origin: http://elsewhere.example.com")).contains("\nOrigin: http://elsewhere.example.com\n");
    }

    @Test
    void nothingOfThePlatformReachesTheApp() throws Exception {
        var seen = app.raw("GET /echo?a=%20b&c", token(), "X-API-Key: " + server.key(), "Authorization: Bearer " + server.key(), "X-Anything: key=" + server.key() + ";", "E2b-Traffic-Access-Token: " + "0".repeat(64),
                "Cookie: a=b; redoma-preview=rpt1.x; c=d; __Host-redoma-session=secret; Redoma_console=secret", "X-Own: stays", "Cookie: e=" + server.key());
        assertThat(seen).startsWith("HTTP/1.1 200").contains("\nGET /echo?a=%20b&c HTTP/1.1\n").contains("\nX-Own: stays\n").contains("\nCookie: a=b; c=d\n").doesNotContain("e2b_").doesNotContain("secret").doesNotContain("rpt1")
                .doesNotContainIgnoringCase("traffic").doesNotContain("X-Anything").doesNotContain("Authorization");
        assertThat(app.raw("GET /echo", token(), "Authorization: Bearer e2b_" + "0".repeat(40))).as("what is no key of this installation is the app's").contains("Authorization: Bearer e2b_0");
    }

    private static String hostile(String... fields) throws Exception {
        var hex = HexFormat.of().formatHex((String.join("\r\n", fields) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        return app.raw("GET /hostile?" + hex, token());
    }

    @Test
    void theAppActsOnItsOwnPagesAlone() throws Exception {
        var dropped = List.of("Clear-Site-Data: \"*\"", "Strict-Transport-Security: max-age=99; includeSubDomains", "Public-Key-Pins: x", "Public-Key-Pins-Report-Only: x", "Expect-CT: max-age=9", "Alt-Svc: h3=\"evil.example.com:443\"",
                "Alt-Used: evil.example.com", "NEL: {\"report_to\":\"x\",\"include_subdomains\":true,\"max_age\":9}", "Report-To: {}", "X-Accel-Redirect: /etc/passwd", "X-Sendfile: /etc/passwd", "X-Lighttpd-Send-File: /x", "Surrogate-Control: x",
                "Set-Cookie: redoma-preview=mine", "Set-Cookie: __Host-redoma-session=mine; Path=/; Secure", "Set-Cookie: REDOMA=1", "Set-Cookie: =redoma_z=mine", "Set-Cookie: redoma-mine", "Set-Cookie: mine", "Set-Cookie:  = mine", "Set-Cookie: \"redoma\"=mine", "Proxy-Authenticate: Basic", "Keep-Alive: timeout=9", "Connection: X-Hop", "X-Hop: 1");
        var answer = hostile(dropped.toArray(String[]::new));
        assertThat(answer).startsWith("HTTP/1.1 200").endsWith("\r\n\r\nok");
        for (var field : dropped) {
            var name = field.substring(0, field.indexOf(':'));
            assertThat(answer.toLowerCase(java.util.Locale.ROOT)).as(field).doesNotContain("\r\n" + name.toLowerCase(java.util.Locale.ROOT) + (name.equals("Connection") ? ": x-hop" : ":"));
        }
        assertThat(hostile("Set-Cookie: a=b; Domain=example.com; Path=/", "Set-Cookie: c=d; DOMAIN = localhost;Secure", "Set-Cookie: e=f;domain", "Set-Cookie: domain=value; HttpOnly")).contains("\r\nSet-Cookie: a=b; Path=/\r\n")
                .contains("\r\nSet-Cookie: c=d;Secure\r\n").contains("\r\nSet-Cookie: e=f\r\n").contains("\r\nSet-Cookie: domain=value; HttpOnly\r\n");
        assertThat(hostile("Service-Worker-Allowed: /", "Content-Security-Policy: default-src 'self'", "X-Accel-Buffering: no", "Location: https://elsewhere.example.com/")).contains("Service-Worker-Allowed: /").contains("default-src 'self'")
                .contains("X-Accel-Buffering: no").contains("Location: https://elsewhere.example.com/");
        var dated = hostile("Date: Mon, 05 Jan 2026 00:00:00 GMT");
        assertThat(dated.split("(?i)\r\ndate:", -1)).as(dated).hasSize(2);
        assertThat(dated).contains("\r\nDate: Mon, 05 Jan 2026 00:00:00 GMT\r\n");
        var at = URI.create(server.router());
        try (var socket = new java.net.Socket(at.getHost(), at.getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(("GET /ws HTTP/1.1\r\nHost: " + host() + "\r\n" + token() + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            var upgraded = new StringBuilder();
            for (int c = socket.getInputStream().read(); c >= 0 && upgraded.indexOf("\r\n\r\n") < 0; c = upgraded.indexOf("\r\n\r\n") < 0 ? socket.getInputStream().read() : -1) {
                upgraded.append((char) c);
            }
            assertThat(upgraded).startsWith("HTTP/1.1 101");
            assertThat(upgraded.toString().split("(?i)\r\ndate:", -1)).as("%s", upgraded).hasSize(2);
        }
    }

    @Test
    void aBrowserGivesTheTokenOnceAndKeepsItInACookieOfItsOwn() throws Exception {
        var first = app.raw("GET /page?x=1&redoma-preview-token=" + open.token() + "&y=%2F", "Accept: text/html");
        assertThat(first).startsWith("HTTP/1.1 303").contains("\r\nLocation: /page?x=1&y=%2F\r\n").contains("\r\nSet-Cookie: redoma-preview=" + open.token() + "; Path=/; HttpOnly; SameSite=Lax\r\n");
        assertThat(app.raw("GET /page", "Accept: text/html", "Cookie: redoma-preview=" + open.token())).startsWith("HTTP/1.1 200");
        assertThat(app.raw("GET //evil.example.com/?redoma-preview-token=" + open.token(), "Accept: text/html")).contains("\r\nLocation: /.//evil.example.com/\r\n");
        assertThat(app.raw("GET /echo?redoma-preview-token=" + open.token() + "&z=1")).as("of a program it is taken as it is").startsWith("HTTP/1.1 200").contains("\nGET /echo?z=1 HTTP/1.1\n");
        assertThat(app.raw("GET /page?redoma-preview-token=rpt1.wrong", "Accept: text/html")).startsWith("HTTP/1.1 401").contains("text/html").doesNotContain("Set-Cookie");
    }

    @Test
    void aPageOfAnotherSandboxCannotActWithTheCookieThatTheBrowserSendsItAlong() throws Exception {
        var cookie = "Cookie: redoma-preview=" + open.token();
        var own = "http://" + PerlApp.PORT + "-" + app.sandbox + ".localhost";
        var others = "http://3000-sbneighbour.localhost";
        for (var foreign : List.of(List.of("Origin: " + others), List.of("Origin: null"), List.of("Sec-Fetch-Site: same-site"), List.of("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"),
                List.of("Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"), List.of("Origin: " + own + ":81"))) {
            var fields = new java.util.ArrayList<>(foreign);
            fields.add(cookie);
            assertThat(app.raw("GET /echo", fields.toArray(String[]::new))).as(foreign.toString()).startsWith("HTTP/1.1 403").contains("Another site");
            fields.set(fields.size() - 1, token());
            assertThat(app.raw("GET /echo", fields.toArray(String[]::new))).as("a token by header is no browser's own doing").startsWith("HTTP/1.1 200");
        }
        assertThat(app.raw("POST /echo", cookie, "Content-Length: 0", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")).as("a form of another site").startsWith("HTTP/1.1 403");
        for (var fine : List.of(List.of("Origin: " + own), List.of("Sec-Fetch-Site: same-origin", "Origin: " + own + ":80"), List.of("Sec-Fetch-Site: none"), List.of("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"))) {
            var fields = new java.util.ArrayList<>(fine);
            fields.add(cookie);
            assertThat(app.raw("GET /echo", fields.toArray(String[]::new))).as(fine.toString()).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void aTokenOrKeyInAnyPlaceIsNotTheApps() throws Exception {
        var basic = java.util.Base64.getEncoder().encodeToString(("x:" + server.key()).getBytes(StandardCharsets.ISO_8859_1));
        var seen = app.raw("GET /echo?a=1&redoma-preview-token=" + open.token(), token(), "Referer: http://here.example.com/page?redoma-preview-token=" + open.token() + "&b=2", "X-T: prefix " + open.token(), "Authorization: Basic " + basic);
        assertThat(seen).startsWith("HTTP/1.1 200").contains("\nGET /echo?a=1 HTTP/1.1\n").contains("\nReferer: http://here.example.com/page?b=2\n").doesNotContain(open.token()).doesNotContain(basic);
        var at = URI.create(server.router()).getAuthority();
        assertThat(app.rawAt(at, "GET /preview/" + app.sandbox + "/3000/echo?redoma-preview-token=" + open.token(), token())).startsWith("HTTP/1.1 200").doesNotContain(open.token());
        assertThat(app.raw("GET /echo?k=" + server.key(), token())).as("its app would see it").startsWith("HTTP/1.1 400").contains("X-API-Key");
        for (var address : java.util.List.of("/echo?a=" + open.token(), "/" + open.token() + "/echo", "/echo?a=" + open.token().replace(".", "%2E"))) {
            assertThat(app.raw("GET " + address, token())).as(address).startsWith("HTTP/1.1 400").doesNotContain("GET /");
        }
        assertThat(app.raw("GET /echo", token(), "X-T: " + open.token().replace(".", "%2e"))).startsWith("HTTP/1.1 200").doesNotContain("%2e");
        assertThat(app.raw("GET /echo", token(), "Authorization: Basic eDp5")).as("the app's own").contains("Authorization: Basic eDp5");
    }

    private static String h2(String method, String scheme, String path, String... more) throws Exception {
        var fields = new java.util.ArrayList<>(java.util.List.of(":method", method, ":scheme", scheme, ":authority", host(), ":path", path, "redoma-preview-token", open.token()));
        fields.addAll(java.util.List.of(more));
        return RawHttp2.ask(server.router(), fields);
    }

    @Test
    void whatHttp2CanSayAndHttp1CannotIsNotWrittenIntoARequestOfTheApp() throws Exception {
        for (var odd : java.util.List.of("/echo HTTP/1.1", "/echo\tHTTP/1.0", "/ec ho", "/echo?a b")) {
            assertThat(h2("GET", "http", odd)).as(odd).doesNotContain("GET /");
        }
        assertThat(h2("GE T", "http", "/echo")).doesNotContain("GE T /");
        assertThat(h2("GET", "http", "/echo", "cookie", "a=1", "cookie", "redoma-x=2", "cookie", "b=3")).contains("GET /echo HTTP/1.1\n").contains("\nCookie: a=1; b=3\n").containsOnlyOnce("ookie");
        assertThat(h2("GET", "https", "/echo")).contains("\nX-Forwarded-Proto: http\n");
        assertThat(app.raw("POST /echo", token(), "Transfer-Encoding: gzip, chunked")).startsWith("HTTP/1.1 400");
    }

    @Test
    void pv06_withoutAnyNameItIsReachedByItsPathAndCaged() throws Exception {
        var at = URI.create(server.router()).getAuthority();
        var prefix = "/preview/" + app.sandbox + "/3000";
        assertThat(open.pathUrl()).isEqualTo("http://" + at + prefix + "/");
        var echo = app.rawAt(at, "GET " + prefix + "/echo?x=1", token(), "Cookie: a=b");
        assertThat(echo).startsWith("HTTP/1.1 200").contains("\nGET /echo?x=1 HTTP/1.1\n").contains("\nX-Forwarded-Prefix: " + prefix + "\n").contains("\nHost: " + at + "\n").doesNotContain("Cookie");
        assertThat(echo).contains("\r\nContent-Security-Policy: sandbox allow-scripts ").doesNotContain("allow-same-origin");
        assertThat(app.rawAt(at, "GET " + prefix, token())).startsWith("HTTP/1.1 308").contains("\r\nLocation: " + prefix + "/\r\n");
        assertThat(app.rawAt(at, "GET " + prefix + "/echo?redoma-preview-token=" + open.token())).as("by header only").startsWith("HTTP/1.1 401");
        assertThat(app.rawAt(at, "GET " + prefix + "/echo", "Cookie: redoma-preview=" + open.token())).as("by header only").startsWith("HTTP/1.1 401");
        assertThat(app.rawAt(at, "GET " + prefix + "/echo", token(), "Service-Worker: script")).startsWith("HTTP/1.1 403");
        var hex = HexFormat.of().formatHex("Set-Cookie: a=b\r\nService-Worker-Allowed: /\r\nWWW-Authenticate: Basic\r\nContent-Security-Policy: sandbox allow-same-origin\r\nLocation: /there\r\n".getBytes(StandardCharsets.ISO_8859_1));
        var caged = app.rawAt(at, "GET " + prefix + "/hostile?" + hex, token());
        assertThat(caged).startsWith("HTTP/1.1 200").doesNotContain("Set-Cookie").doesNotContain("Service-Worker-Allowed").doesNotContain("WWW-Authenticate").contains("sandbox allow-scripts").contains("\r\nLocation: " + prefix + "/there\r\n");
        assertThat(app.rawAt(at, "GET /preview/" + app.sandbox + "/70000/", token())).startsWith("HTTP/1.1 400");
        assertThat(app.rawAt(at, "GET /preview/../v1", token())).startsWith("HTTP/1.1 400");
    }

    @Test
    void theAddressesInTheAnswerLeadThere() throws Exception {
        var url = URI.create(java.util.Objects.requireNonNull(open.url()));
        assertThat(url.getHost()).isEqualTo("3000-" + app.sandbox + ".localhost");
        assertThat(url.getPort()).isEqualTo(URI.create(server.router()).getPort());
        assertThat(app.rawAt(url.getAuthority(), "GET /page", token())).startsWith("HTTP/1.1 200");
    }
}
