// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.http.Json;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.model.wire.Sandbox;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Through HTTP to the kernel and back.
class RealServerTest {
    static RealServer s;
    static Sandbox box;

    @BeforeAll
    static void start() throws Exception {
        s = RealServer.start(Map.of("REDOMA_QUOTA_LIVE", "64"));
        box = s.post("/v1/sandboxes", ApiTest.PLAIN, Sandbox.class);
    }

    @AfterAll
    static void end() throws Exception {
        s.close();
    }

    private static String at(String rest) {
        return "/v1/sandboxes/" + box.id() + rest;
    }

    private static List<ApiTest.Frame> run(String... argv) throws Exception {
        var answer = s.client().send(s.request(at("/execs")).header("Accept", "application/vnd.redoma.output").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(Json.bytes(ApiTest.exec(argv)))).build(), BodyHandlers.ofByteArray());
        return ApiTest.frames(answer.body());
    }

    private static String printed(List<ApiTest.Frame> frames, int stream) {
        return frames.stream().filter(f -> f.type() == stream).map(f -> new String(f.payload())).reduce("", String::concat);
    }

    private static Exec exit(List<ApiTest.Frame> frames) {
        return Json.read(frames.getLast().payload(), Exec.class);
    }

    @Test
    void bothStreamsAndTheExitCodeArrive() throws Exception {
        var frames = run("sh", "-c", "echo out; echo err >&2; exit 7");
        assertThat(printed(frames, 1)).isEqualTo("out\n");
        assertThat(printed(frames, 2)).isEqualTo("err\n");
        assertThat(exit(frames).exitCode()).isEqualTo(7);
    }

    @Test
    void aTimeoutKeepsWhatWasPrintedAndSaysSo() throws Exception {
        var run = s.post(at("/execs"), new dev.redoma.model.wire.ExecSpec(List.of("sh", "-c", "echo A; sleep 60"), null, null, null, null, null, 1000L, null, null), Exec.class);
        var end = RealServer.read(s.get(at("/execs/" + run.id() + "?waitMs=30000")), Exec.class);
        assertThat(end.timedOut()).as("%s", end).isTrue();
        assertThat(s.send("GET", at("/execs/" + run.id() + "/output"), BodyPublishers.noBody(), "Accept", "text/event-stream").body()).contains("\"base64\":\"QQo=\"");
    }

    @Test
    void aFileGoesInAndOutByteForByte() throws Exception {
        var bytes = new byte[5 << 20];
        new Random(3).nextBytes(bytes);
        var info = RealServer.read(s.send("PUT", at("/files?path=/tmp/big"), BodyPublishers.ofByteArray(bytes)), FileInfo.class);
        assertThat(info.size()).isEqualTo(bytes.length);
        assertThat(printed(run("sha256sum", "/tmp/big"), 1)).startsWith(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
        assertThat(s.client().send(s.request(at("/files?path=/tmp/big")).build(), BodyHandlers.ofByteArray()).body()).isEqualTo(bytes);
        assertThat(s.get(at("/files?path=/nope")).statusCode()).isEqualTo(404);
    }

    @Test
    void aFileOfProcIsReadThoughItSaysZero() throws Exception {
        assertThat(s.get(at("/files?path=/proc/self/status")).body()).contains("Name:");
    }

    @Test
    void anUploadThatBreaksOffLeavesTheOldFile() throws Exception {
        s.send("PUT", at("/files?path=/tmp/kept"), BodyPublishers.ofString("old"));
        try (var socket = new java.net.Socket("127.0.0.1", URI.create(s.url()).getPort())) {
            socket.getOutputStream().write(("PUT " + at("/files?path=/tmp/kept") + " HTTP/1.1\r\nHost: a\r\nX-API-Key: " + s.key()
                    + "\r\nContent-Length: 1000000\r\n\r\nnew").getBytes());
            socket.getOutputStream().flush();
            Thread.sleep(300);
        }
        Thread.sleep(500);
        assertThat(s.get(at("/files?path=/tmp/kept")).body()).isEqualTo("old");
    }

    @Test
    void lc23_whatClientsAskedForAndDidNotWaitForIsEnded() throws Exception {
        var body = "{\"untrusted\":true}"; // never from the warm pool
        var request = "POST /v1/sandboxes HTTP/1.1\r\nHost: a\r\nX-API-Key: " + s.key() + "\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body;
        for (int i = 0; i < 10; i++) {
            try (var socket = new java.net.Socket("127.0.0.1", URI.create(s.url()).getPort())) {
                socket.getOutputStream().write(request.getBytes());
                socket.getOutputStream().flush();
                Thread.sleep(3 + 2 * i);
                assertThat(socket.getInputStream().available()).isZero();
            }
        }
        org.awaitility.Awaitility.await().atMost(30, TimeUnit.SECONDS).during(2, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(items("/v1/sandboxes?limit=200")).isEqualTo(1));
        assertThat(RealServer.read(s.get(at("")), Sandbox.class).state()).isEqualTo("running");
    }

    private static int items(String path) throws Exception {
        return s.get(path).body().split("\"createdAt\"", -1).length - 1;
    }

    @Test
    void stdinReachesTheProcess() throws Exception {
        var run = s.post(at("/execs"), new dev.redoma.model.wire.ExecSpec(List.of("wc", "-c"), null, null, null, null, true, null, null, null), Exec.class);
        var sent = s.send("POST", at("/execs/" + run.id() + "/stdin?close=true"), BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[300_000])));
        assertThat(sent.statusCode()).isEqualTo(204);
        assertThat(RealServer.read(s.get(at("/execs/" + run.id() + "?waitMs=30000")), Exec.class).exitCode()).isZero();
        assertThat(s.send("GET", at("/execs/" + run.id() + "/output"), BodyPublishers.noBody(), "Accept", "application/vnd.redoma.output").body()).contains("300000");
    }

    @Test
    void aTerminalEchoesAndEndsWithTheExitCode() throws Exception {
        var run = s.post(at("/execs"), new dev.redoma.model.wire.ExecSpec(List.of("sh"), null, null, null, new dev.redoma.model.wire.Tty(80, 24, null), true, null, null, null), Exec.class);
        var heard = new TenancyTest.Heard();
        var ws = s.client().newWebSocketBuilder().header("X-API-Key", s.key())
                .buildAsync(URI.create(s.url().replace("http:", "ws:") + at("/execs/" + run.id() + "/terminal")), heard).join();
        ws.sendText("{\"cols\":123,\"rows\":45}", true).join();
        ws.sendBinary(ByteBuffer.wrap("stty size; exit 5\n".getBytes()), true).join();
        assertThat(heard.closed.get(30, TimeUnit.SECONDS)).isEqualTo("1000 5");
        assertThat(heard.text.toString()).contains("45 123");
    }

    @Test
    void anAbandonedForegroundExecGoesOn() throws Exception {
        var answer = s.client().send(s.request(at("/execs")).header("Accept", "application/vnd.redoma.output").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(Json.bytes(ApiTest.exec("sh", "-c", "echo start; sleep 2; touch /tmp/went-on")))).build(), BodyHandlers.ofInputStream());
        answer.body().readNBytes(10);
        answer.body().close();
        org.awaitility.Awaitility.await().atMost(15, TimeUnit.SECONDS).until(() -> s.get(at("/files/stat?path=/tmp/went-on")).statusCode() == 200);
    }

    @Test
    void twoHundredMegabytesStreamWithoutGrowingTheServer() throws Exception {
        var answer = s.client().send(s.request(at("/execs")).header("Accept", "application/vnd.redoma.output").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(Json.bytes(new dev.redoma.model.wire.ExecSpec(List.of("head", "-c", "50000000", "/dev/zero"), null, null, null, null, null, null,
                        100_000_000L, null)))).build(), BodyHandlers.ofInputStream());
        var in = new java.io.DataInputStream(answer.body());
        long got = 0;
        for (int type = in.read(); type >= 0; type = in.read()) {
            int length = in.readInt();
            in.skipNBytes(length);
            got += type == 1 ? length : 0;
        }
        assertThat(got).isEqualTo(50_000_000L);
    }

    @Test
    void aRestartOfTheServerLosesNothing() throws Exception {
        var run = s.post(at("/execs"), ApiTest.exec("sh", "-c", "for i in 1 2 3 4 5 6; do echo $i; sleep 1; done"), Exec.class);
        s.restart();
        var end = RealServer.read(s.get(at("/execs/" + run.id() + "?waitMs=30000")), Exec.class);
        assertThat(end.exitCode()).isZero();
        var output = s.client().send(s.request(at("/execs/" + run.id() + "/output")).header("Accept", "application/vnd.redoma.output").build(), BodyHandlers.ofByteArray());
        assertThat(printed(ApiTest.frames(output.body()), 1)).isEqualTo("1\n2\n3\n4\n5\n6\n");
        assertThat(RealServer.read(s.get(at("")), Sandbox.class).state()).isEqualTo("running");
        assertThat(s.send("POST", "/v1/audit/verify", BodyPublishers.noBody()).body()).contains("\"status\":\"ok\"");
    }

    @Test
    void aSecondServerIsRefusedTheDataDirectory() {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> DataLock.take(s.data())).hasMessageContaining("Another server");
    }
}
