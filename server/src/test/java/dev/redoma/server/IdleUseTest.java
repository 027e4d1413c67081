// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.Exposure;
import dev.redoma.model.wire.Sandbox;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What keeps a sandbox from being idle beside commands: watches in force, and what connections to its ports carry (LC-18, LC-19; docs/lifecycle.md).
@Timeout(120)
class IdleUseTest {
    private static final Duration IDLE = Duration.ofSeconds(3);
    private static RealServer server;

    @BeforeAll
    static void start() throws Exception {
        server = RealServer.start(Map.of());
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static String box() throws Exception {
        return server.post("/v1/sandboxes", Map.of("limits", Map.of("idleMs", IDLE.toMillis()), "onTimeout", "stop"), Sandbox.class).id();
    }

    private static void run(String box, String script) throws Exception {
        var exec = EnvdClient.JSON.readTree(server.post("/v1/sandboxes/" + box + "/execs", Map.of("argv", List.of("sh", "-c", script))).body());
        var ended = server.get("/v1/sandboxes/" + box + "/execs/" + exec.get("id").stringValue() + "?waitMs=30000");
        assertThat(EnvdClient.JSON.readTree(ended.body()).get("exitCode").asInt(-1)).as(ended.body()).isZero();
    }

    /// Left behind by a command, so that it is none: answers on port 3000 with a head and what the script says.
    private static void app(String box, String script) throws Exception {
        run(box, "printf '%s' 'while read -r l; do [ ${#l} -le 1 ] && break; done; printf \"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\n\"; " + script + "' > /tmp/app;"
                + " setsid nc -ll -p 3000 -e sh /tmp/app </dev/null >/dev/null 2>&1 & while ! grep -q ':0BB8 0*:0000 0A' /proc/net/tcp /proc/net/tcp6; do sleep 0.05; done");
    }

    private static String state(String box) throws Exception {
        return RealServer.read(server.get("/v1/sandboxes/" + box), Sandbox.class).state();
    }

    private static void mustBecomeIdle(String box) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(state(box)).isEqualTo("stopped"));
    }

    private static Socket asked(String box) throws Exception {
        var router = URI.create(server.router());
        var token = server.post("/v1/sandboxes/" + box + "/exposures", new ExposePort(3000, null, null), Exposure.class).token();
        var socket = new Socket(router.getHost(), router.getPort());
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(("GET / HTTP/1.1\r\nHost: x\r\nE2b-Sandbox-Id: " + box + "\r\nE2b-Sandbox-Port: 3000\r\nRedoma-Preview-Token: " + token + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        assertThat(line(socket.getInputStream())).startsWith("HTTP/1.1 200");
        return socket;
    }

    private static String line(InputStream in) throws Exception {
        var line = new StringBuilder();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            line.append((char) b);
        }
        return line.toString();
    }

    @Test
    void lc18_aConnectionThatCarriesBytesKeepsItInUse() throws Exception {
        var box = box();
        app(box, "while :; do printf x; sleep 0.3; done");
        try (var socket = asked(box)) {
            long end = System.nanoTime() + IDLE.multipliedBy(2).toNanos();
            while (System.nanoTime() < end) {
                assertThat(socket.getInputStream().read()).isNotNegative();
            }
            assertThat(state(box)).isEqualTo("running");
        }
        mustBecomeIdle(box);
    }

    @Test
    void lc19_aConnectionThatCarriesNothingDoesNot() throws Exception {
        var box = box();
        app(box, "sleep 600");
        try (var socket = asked(box)) {
            mustBecomeIdle(box);
        }
    }

    @Test
    void lc19_aWatchInForceKeepsItInUse() throws Exception {
        var box = box();
        var watch = server.client().send(server.request("/v1/sandboxes/" + box + "/files/watch?path=/tmp").build(), BodyHandlers.ofInputStream());
        assertThat(watch.statusCode()).isEqualTo(200);
        assertThat(line(watch.body())).contains("ready");
        Thread.sleep(IDLE.multipliedBy(2));
        assertThat(state(box)).isEqualTo("running");
        watch.body().close();
        mustBecomeIdle(box);
    }
}
