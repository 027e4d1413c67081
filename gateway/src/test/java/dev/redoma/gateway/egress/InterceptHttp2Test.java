// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// HTTP/2 inside of TLS: what of a program's streams arrives at an origin, and how what does not is refused.
@Timeout(60)
class InterceptHttp2Test {
    private static final String A = "a.allowed.test";
    private static final int BIG = 200_000;
    private static final String GOOD = ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/1";

    @TempDir
    Path dir;

    private final List<String> arrived = new CopyOnWriteArrayList<>();
    /// Paths of requests that came whole.
    private final List<String> served = new CopyOnWriteArrayList<>();
    private final Server server = new Server();
    private Lab lab;
    private Inside inside;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        var tls = new SslContextFactory.Server();
        tls.setSslContext(SecureOrigin.context(A));
        var http = new HttpConfiguration();
        var alpn = new ALPNServerConnectionFactory();
        alpn.setDefaultProtocol("http/1.1");
        var connector = new ServerConnector(server, new SslConnectionFactory(tls, "alpn"), alpn, new HTTP2ServerConnectionFactory(http), new HttpConnectionFactory(http));
        connector.open(lab.outside.serverSocket().bind(new InetSocketAddress(Lab.HERE, 443)));
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                arrived.add(request.getMethod() + " " + request.getHttpURI().getPathQuery() + " " + Request.getServerName(request));
                if (request.getHttpURI().getPath().startsWith("/ok/echo.Echo/")) {
                    return echo(request, response, callback);
                }
                String body = Content.Source.asString(request, StandardCharsets.UTF_8);
                served.add(request.getHttpURI().getPath());
                if (request.getHttpURI().getPath().equals("/ok/trailers")) {
                    body = request.getTrailers().getFieldNamesCollection().stream().sorted().reduce("", String::concat);
                }
                var trailers = HttpFields.build().put("grpc-status", "0");
                boolean big = request.getHttpURI().getPath().equals("/ok/big");
                response.setTrailersSupplier(() -> trailers);
                if (big) { // in two: of a last write that is longer than a frame Jetty sends the first frame alone before the trailers, with or without anything in between
                    response.write(false, ByteBuffer.wrap(new byte[BIG]), Callback.from(() -> response.write(true, ByteBuffer.allocate(0), callback), callback::failed));
                } else {
                    response.write(true, ByteBuffer.wrap(("hello " + body).getBytes()), callback);
                }
                return true;
            }
        });
        server.start();
        lab.name(A, Lab.HERE);
        inside = lab.sandbox(Lab.policy(InterceptTest.rule("request.web[0]", Set.of("GET", "POST"), null, null, List.of("/ok/**"), A)));
    }

    @AfterEach
    void close() throws Exception {
        server.stop();
        lab.close();
    }

    private Http2Talk talk(boolean window) throws Exception {
        return new Http2Talk(lab, inside, A, window);
    }

    @Test
    void streamsGoThroughWithBodiesAndTrailersAndRefusedOnesLeaveTheOthersAlone() throws Exception {
        try (var talk = talk(true)) {
            talk.request(1, true, GOOD);
            assertThat(talk.answer(1)).isEqualTo("200 hello  0");
            talk.request(3, false, GOOD.replace("GET", "POST") + "|te=trailers");
            talk.send(new Frame(Frame.DATA, 0, 3, "abc".getBytes()));
            talk.request(5, false, GOOD.replace("/ok/1", "/other").replace("GET", "POST"));
            for (int i = 0; i < 20; i++) {
                talk.send(new Frame(Frame.DATA, 0, 5, new byte[10_000])); // more than any window: given back, and never sent on
            }
            assertThat(talk.answer(5)).startsWith("403 {").contains("\"reason\":\"path\"", "\"rule\":\"request.web[0]\"");
            talk.send(new Frame(Frame.DATA, Frame.END_STREAM, 3, "def".getBytes()));
            assertThat(talk.answer(3)).isEqualTo("200 hello abcdef 0");
        }
        assertThat(arrived).containsExactly("GET /ok/1 " + A, "POST /ok/1 " + A);
        assertThat(lab.records(inside)).filteredOn(r -> r.action().startsWith("request")).extracting(r -> r.action() + " " + r.fields().get("path"))
                .containsExactly("request /ok/1", "request /ok/1", "request.denied /other");
    }

    /// As a gRPC service answers: each message when it has come, then its status in trailers.
    private static boolean echo(Request request, Response response, Callback callback) throws IOException {
        response.getHeaders().put("content-type", "application/grpc");
        var trailers = HttpFields.build().put("grpc-status", "0");
        response.setTrailersSupplier(() -> trailers);
        try (var in = Content.Source.asInputStream(request); var out = Content.Sink.asOutputStream(response)) {
            byte[] message = new byte[5 + 3];
            while (in.readNBytes(message, 0, message.length) == message.length) {
                out.write(message);
                out.flush();
            }
        }
        callback.succeeded();
        return true;
    }

    @Test
    void aGrpcCallStreamsBothWaysAndEndsWithItsStatus() throws Exception {
        try (var talk = talk(true)) {
            talk.request(1, false, GOOD.replace("GET", "POST").replace("/ok/1", "/ok/echo.Echo/Talk") + "|content-type=application/grpc|te=trailers|grpc-timeout=30S");
            for (String said : List.of("one", "two", "six")) {
                byte[] message = ("\0\0\0\0\3" + said).getBytes(StandardCharsets.ISO_8859_1);
                talk.send(new Frame(Frame.DATA, 0, 1, message));
                Frame answer = talk.next(1);
                while (answer.type() == Frame.HEADERS || answer.content().length == 0) {
                    answer = talk.next(1);
                }
                assertThat(answer.content()).as("before the next was sent").isEqualTo(message);
            }
            talk.send(new Frame(Frame.DATA, Frame.END_STREAM, 1, new byte[0]));
            assertThat(talk.answer(1)).isEqualTo(" 0");
        }
        assertThat(arrived).containsExactly("POST /ok/echo.Echo/Talk " + A);
    }

    @Test
    void refusalsTellAllInTheStandardWindowAndTheOriginSendsWhatIsLeftOfIt() throws Exception {
        try (var talk = talk(false)) {
            int told = 0;
            for (int id = 1; id < 100; id += 2) {
                talk.request(id, true, GOOD.replace("/ok/1", "/other"));
                String refused = talk.answer(id);
                assertThat(refused).startsWith("403 {").endsWith("}\n").contains("\"reason\":\"path\"");
                told += refused.length() - 4;
            }
            talk.request(101, true, GOOD.replace("/ok/1", "/ok/big"));
            int came = 0;
            try {
                for (Frame frame = talk.next(101); frame != null; frame = talk.next(101)) {
                    came += frame.type() == Frame.DATA ? frame.payload().length : 0;
                    talk.client.socket.setSoTimeout(came > 0 ? 1000 : 30_000);
                    assertThat(frame.has(Frame.END_STREAM)).as("%s after %s", frame.type(), came).isFalse();
                    assertThat(came + told).isLessThanOrEqualTo(65_535);
                }
            } catch (java.net.SocketTimeoutException waits) {
                // for the program to let more come
            }
            assertThat(came).isPositive();
            talk.client.socket.setSoTimeout(30_000);
            talk.send(Frame.number(Frame.WINDOW_UPDATE, 0, 1 << 20));
            talk.send(Frame.number(Frame.WINDOW_UPDATE, 101, 1 << 20));
            try {
                Frame frame = talk.next(101);
                for (; !frame.has(Frame.END_STREAM); frame = talk.next(101)) {
                    came += frame.payload().length;
                }
                assertThat(frame.type()).as("its trailers").isEqualTo(Frame.HEADERS);
            } catch (IOException stalled) {
                throw new AssertionError(came + " of " + BIG + " came, beside " + told + " of refusals", stalled);
            }
            assertThat(came).isEqualTo(BIG);
        }
        assertThat(arrived).containsExactly("GET /ok/big " + A);
    }

    @Test
    void aRefusalWaitsForTheWindowOfItsStream() throws Exception {
        try (var talk = talk(false)) {
            talk.send(new Frame(Frame.SETTINGS, 0, 0, ByteBuffer.allocate(6).putShort((short) 4).putInt(0).array()));
            talk.request(1, true, GOOD.replace("/ok/1", "/other"));
            Frame head = talk.next(1);
            assertThat(head.type()).isEqualTo(Frame.HEADERS);
            assertThat(head.has(Frame.END_STREAM)).isFalse();
            talk.request(3, true, GOOD);
            assertThat(talk.next(3).type()).as("others go on").isEqualTo(Frame.HEADERS);
            talk.send(Frame.number(Frame.WINDOW_UPDATE, 1, 1000));
            Frame body = talk.next(1);
            assertThat(body.type()).isEqualTo(Frame.DATA);
            assertThat(new String(body.payload())).contains("\"reason\":\"path\"");
        }
    }

    @Test
    void anotherRulesBudgetIsNotTheConnections() throws Exception {
        lab.apply(inside, Lab.policy(InterceptTest.rule("request.web[0]", Set.of(), null, 100_000L, List.of("/ok/big"), A), InterceptTest.rule("request.web[1]", Set.of(), null, null, List.of("/ok/1"), A)), null);
        try (var talk = talk(true)) {
            talk.send(Frame.number(Frame.WINDOW_UPDATE, 0, 1 << 20));
            talk.request(1, true, GOOD.replace("/ok/1", "/ok/big"));
            talk.send(Frame.number(Frame.WINDOW_UPDATE, 1, 1 << 20));
            try {
                while (talk.next(1) != null) {
                    // until it is broken off
                }
            } catch (IOException gone) {
                // as it should be
            }
        }
        try (var talk = talk(true)) {
            talk.request(1, true, GOOD);
            assertThat(talk.answer(1)).startsWith("200 ");
            talk.request(3, true, GOOD.replace("/ok/1", "/ok/big"));
            assertThat(talk.answer(3)).startsWith("403 {").contains("\"reason\":\"budget\"", "\"rule\":\"request.web[0]\"", "byte budget of its rule (100000 bytes");
        }
        assertThat(arrived).containsExactly("GET /ok/big " + A, "GET /ok/1 " + A);
        assertThat(lab.told(inside)).contains("request.denied " + A + " budget");
    }

    @Test
    void anEndOfEitherSideWhereNothingIsUnderWayIsNoBreak() throws Exception {
        try (var talk = talk(true)) {
            talk.request(1, true, GOOD);
            assertThat(talk.answer(1)).startsWith("200 ");
        }
        org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).contains("connect.closed " + A + " -"));
        try (var talk = talk(true)) {
            talk.request(1, true, GOOD);
            assertThat(talk.answer(1)).startsWith("200 ");
            server.stop();
            assertThat(talk.next(1)).matches(f -> f == null || f.type() == Frame.GOAWAY);
            while (Frame.read(talk.client.in) != null) {
                // until the end
            }
        } catch (IOException gone) {
            // it may be seen so
        }
        lab.gateway.detach(inside.id);
        assertThat(lab.told(inside)).filteredOn(t -> t.startsWith("connect.closed")).isNotEmpty().containsOnly("connect.closed " + A + " -");
    }

    @ParameterizedTest
    @ValueSource(strings = {":method=GET|:scheme=https|:authority=b.allowed.test|:path=/ok/2", ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/2|host=b.allowed.test",
        ":method=GET|:scheme=https|:authority=a.allowed.test:444|:path=/ok/2", ":method=CONNECT|:authority=a.allowed.test:443", ":method=GET|:scheme=http|:authority=a.allowed.test|:path=/ok/2",
        ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/2|Upper=1", ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/2|connection=close",
        ":method=GET|:method=POST|:scheme=https|:authority=a.allowed.test|:path=/ok/2", ":method=GET|:scheme=https|:authority=a.allowed.test|:authority=b.allowed.test|:path=/ok/2",
        ":method=GET|:scheme=https|x=1|:authority=a.allowed.test|:path=/ok/2", ":method=GET|:scheme=https|:path=/ok/2", ":method=GET|:scheme=https|:authority=a.allowed.test",
        ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/../other", ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/%2e%2e/other",
        ":method=GET|:scheme=https|:authority=a.allowed.test|:path=https://b.allowed.test/ok/2", ":method=DELETE|:scheme=https|:authority=a.allowed.test|:path=/ok/2",
        ":method=CONNECT|:protocol=websocket|:scheme=https|:authority=a.allowed.test|:path=/ok/2", ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/2|transfer-encoding=chunked",
        ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/2|x=a\r\nhost: b", ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/2|x y=1", ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/2|te=gzip",
        ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/2#x", ":method=GET|:scheme=https|:authority=a.allowed.test|:path=/ok/2|x-http-method-override=DELETE"})
    void whatIsNoRequestForThisHostNeverArrives(String hostile) throws Exception {
        try (var talk = talk(true)) {
            talk.request(1, true, GOOD);
            assertThat(talk.answer(1)).startsWith("200 ");
            talk.request(3, true, hostile);
            assertThat(talk.answer(3)).matches("(?s)(403|400) .*");
        }
        assertThat(arrived).containsExactly("GET /ok/1 " + A);
        assertThat(lab.told(inside)).anyMatch(t -> t.startsWith("request.denied " + A));
    }

    @ParameterizedTest @ValueSource(strings = {"GET /other HTTP/1.1", "G@T", "G\u00dcT"}) // whoever writes one as HTTP/1.1 writes another request line
    void whatIsNoMethodNeverArrives(String method) throws Exception {
        try (var talk = new Http2Talk(lab, lab.sandbox(Lab.policy(InterceptTest.rule("request.web[0]", Set.of(), null, null, List.of("/ok/**"), A))), A, true)) {
            talk.request(1, true, GOOD.replace(":method=GET", ":method=" + method));
            assertThat(talk.answer(1)).startsWith("403 ").contains("request-malformed");
        }
        assertThat(arrived).isEmpty();
    }

    /// Of two readers who do not agree on where a body ends one reads on in what is no request.
    @ParameterizedTest
    @ValueSource(strings = {"content-length=0", "content-length=2", "content-length=10", "content-length=5|content-length=6", "content-length=5|content-length=5", "content-length=5, 5", "content-length=+5", "content-length=5 ", "content-length=-1", "content-length=abc"})
    void aBodyIsAsLongAsItsRequestSays(String said) throws Exception {
        String post = GOOD.replace("GET", "POST");
        byte[] content = "hello".getBytes(StandardCharsets.US_ASCII);
        for (boolean trailers : new boolean[] {false, true}) {
            try (var talk = talk(true)) {
                talk.request(1, false, post + "|content-length=5");
                talk.send(new Frame(Frame.DATA, Frame.END_STREAM, 1, content));
                assertThat(talk.answer(1)).isEqualTo("200 hello hello 0");
                talk.request(3, false, post.replace("/ok/1", "/ok/2") + "|" + said);
                talk.send(new Frame(Frame.DATA, trailers ? 0 : Frame.END_STREAM, 3, content));
                if (trailers) {
                    talk.send(new Frame(Frame.HEADERS, Frame.END_STREAM | Frame.END_HEADERS, 3, Http2Talk.block("x=1")));
                }
                assertThat(talk.answer(3)).matches("(?s)|(400|403) .*");
            }
        }
        lab.gateway.detach(inside.id);
        assertThat(lab.told(inside)).filteredOn(t -> t.equals("request.denied " + A + " request-malformed")).hasSizeGreaterThanOrEqualTo(1);
        assertThat(arrived).filteredOn(a -> a.startsWith("POST /ok/1 ")).hasSize(2);
        assertThat(served).containsOnly("/ok/1");
    }

    @Test
    void trailersThatSayWhatAMessageIsAreLeftOut() throws Exception {
        try (var talk = talk(true)) {
            talk.request(1, false, GOOD.replace("GET", "POST").replace("/ok/1", "/ok/trailers"));
            talk.send(new Frame(Frame.DATA, 0, 1, "hello".getBytes(StandardCharsets.US_ASCII)));
            talk.send(new Frame(Frame.HEADERS, Frame.END_STREAM | Frame.END_HEADERS, 1, Http2Talk.block("x-sum=7|host=b.allowed.test|content-length=9|authorization=z")));
            assertThat(talk.answer(1)).isEqualTo("200 hello x-sum 0");
        }
    }

    @Test
    void aRefusalOfAHeadHasNoBody() throws Exception {
        try (var talk = talk(true)) {
            talk.request(1, true, GOOD.replace("GET", "HEAD"));
            assertThat(talk.answer(1)).isEqualTo("403 ");
            talk.request(3, true, GOOD);
            assertThat(talk.answer(3)).startsWith("200 ");
        }
        try (var client = SecureClient.to(lab, inside, A)) {
            client.say("HEAD /ok/1 HTTP/1.1\r\nHost: " + A + "\r\n\r\n");
            assertThat(new String(client.in.readAllBytes(), StandardCharsets.ISO_8859_1)).startsWith("HTTP/1.1 403 ").contains("Content-Length: ").endsWith("\r\n\r\n").doesNotContain("egress_refused");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Frame.CONTINUATION, Frame.PUSH_PROMISE, 1000, 2000, 3000, 4000, 5000, 6000})
    void whatNoPeerMaySendEndsTheConnection(int kind) throws Exception {
        try (var talk = talk(true)) {
            talk.request(1, true, GOOD);
            assertThat(talk.answer(1)).startsWith("200 ");
            var frames = new ArrayList<Frame>();
            switch (kind) {
                case 1000 -> { // a block that never ends
                    frames.add(new Frame(Frame.HEADERS, Frame.END_STREAM, 3, Http2Talk.block(GOOD)));
                    for (int i = 0; i < 40; i++) {
                        frames.add(new Frame(Frame.CONTINUATION, 0, 3, Http2Talk.block("x=1")));
                    }
                }
                case 2000 -> { // another frame within a block
                    frames.add(new Frame(Frame.HEADERS, Frame.END_STREAM, 3, Http2Talk.block(GOOD)));
                    frames.add(new Frame(Frame.HEADERS, Frame.END_STREAM | Frame.END_HEADERS, 5, Http2Talk.block(GOOD)));
                }
                case 3000 -> frames.add(new Frame(Frame.HEADERS, Frame.END_STREAM | Frame.END_HEADERS, 4, Http2Talk.block(GOOD)));
                case 4000 -> frames.add(new Frame(Frame.DATA, 0, 1, new byte[(16 << 10) + 1]));
                case 5000 -> frames.add(new Frame(Frame.HEADERS, Frame.END_STREAM | Frame.END_HEADERS, 3, new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f}));
                case 6000 -> frames.add(new Frame(Frame.HEADERS, Frame.END_STREAM | Frame.END_HEADERS, 3, Http2Talk.block(GOOD.replace("=a.", "=u@a."))));
                default -> frames.add(new Frame(kind, Frame.END_HEADERS, 3, Http2Talk.block(GOOD)));
            }
            try {
                for (Frame frame : frames) {
                    talk.send(frame);
                }
                while (Frame.read(talk.client.in) != null) {
                    // what was on its way
                }
            } catch (IOException gone) {
                // as it should be
            }
        }
        lab.gateway.detach(inside.id);
        assertThat(arrived).containsExactly("GET /ok/1 " + A);
        assertThat(lab.told(inside)).contains("request.denied " + A + " request-malformed");
    }

    /// Whoever counts first, the gateway or the origin, ends it.
    @Test
    void moreFramesWithoutContentThanThereIsReasonForEndTheConnection() throws Exception {
        try (var talk = talk(true)) {
            talk.request(1, true, GOOD);
            assertThat(talk.answer(1)).startsWith("200 ");
            try {
                for (int i = 0; i < 5000; i++) {
                    talk.send(new Frame(Frame.PING, 0, 0, new byte[8]));
                }
                while (Frame.read(talk.client.in) != null) {
                    // what was on its way
                }
            } catch (IOException gone) {
                // as it should be
            }
        }
    }
}
