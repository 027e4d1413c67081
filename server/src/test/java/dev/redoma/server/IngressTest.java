// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The router to ports of sandboxes, seen by plain HTTP. The apps inside are shell scripts behind `nc`, which say exactly what is written here.
class IngressTest {
    private static RealServer server;
    private static EnvdClient box;

    @BeforeAll
    static void start() throws Exception {
        server = RealServer.start(Map.of());
        box = EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600,\"network\":{\"maskRequestHost\":\"app.internal:${PORT}\"}}");
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    /// Each connection to the port is answered by this script.
    private static void app(EnvdClient at, int port, String script) throws Exception {
        var file = "/tmp/app" + port;
        at.run("printf '%s' '" + script.replace("'", "'\\''") + "' > " + file);
        try (var started = at.stream("process.Process/Start", EnvdClient.sh("exec nc -ll -p " + port + " -e sh " + file))) {
            started.next(); // it runs on without its client
        }
        var listening = String.format("grep -q ':%04X .* 0A ' /proc/net/tcp /proc/net/tcp6 && echo up", port);
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> at.run(listening).out().equals("up\n"));
    }

    private String raw(String request) throws IOException {
        var uri = URI.create(server.router());
        try (var socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void anAppIsReachedByHeaderAndByHostAndSeesItsOwnHostOnly() throws Exception {
        app(box, 3000, "head=; while read -r l; do l=$(printf '%s' \"$l\" | tr -d '\\r'); [ -z \"$l\" ] && break; head=\"$head$l|\"; done; "
                + "printf 'HTTP/1.1 201 Made\\r\\nX-App: yes\\r\\nSet-Cookie: a=b; Domain=example.com; Path=/\\r\\nClear-Site-Data: \"*\"\\r\\nContent-Length: %s\\r\\n\\r\\n%s' ${#head} \"$head\"");
        var byHeader = box.send(box.to(3000, "/a%2Fb/../c?x=%20y").header("X-Access-Token", box.token).header("X-Own", "kept").GET());
        assertThat(byHeader.statusCode()).as(byHeader.body()).isEqualTo(201);
        assertThat(byHeader.body()).startsWith("GET /a%2Fb/../c?x=%20y HTTP/1.1|").contains("|Host: app.internal:3000|").contains("|X-Own: kept|").contains("|X-Forwarded-For: 127.0.0.1|")
                .doesNotContain(box.token).doesNotContainIgnoringCase("e2b-sandbox");
        assertThat(byHeader.headers().firstValue("X-App")).hasValue("yes");
        assertThat(byHeader.headers().firstValue("Set-Cookie")).hasValue("a=b; Path=/");
        assertThat(byHeader.headers().firstValue("Clear-Site-Data")).isEmpty();
        var byHost = raw("GET /by-host HTTP/1.1\r\nHost: 3000-" + box.sandbox + ".sandboxes.example.com:7801\r\nConnection: close\r\n\r\n");
        assertThat(byHost).startsWith("HTTP/1.1 201").contains("GET /by-host HTTP/1.1|");
    }

    @Test
    void aBodyGoesInAndComesBackAsItComes() throws Exception {
        app(box, 3001, "while read -r l; do l=$(printf '%s' \"$l\" | tr -d '\\r'); case \"$l\" in Content-Length:*) n=${l#*: };; esac; [ -z \"$l\" ] && break; done; "
                + "printf 'HTTP/1.1 200 OK\\r\\nContent-Length: %s\\r\\n\\r\\n' $n; head -c $n");
        var text = "0123456789".repeat(200_000);
        assertThat(box.send(box.to(3001, "/").POST(BodyPublishers.ofString(text))).body()).isEqualTo(text);
    }

    @Test
    void eventsArriveOneByOne() throws Exception {
        app(box, 3002, "while read -r l; do [ ${#l} -le 1 ] && break; done; printf 'HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\n\\r\\n'; "
                + "printf 'data: 1\\n\\n'; read -r never");
        var answer = server.client().send(box.to(3002, "/").GET().build(), java.net.http.HttpResponse.BodyHandlers.ofInputStream());
        assertThat(new String(answer.body().readNBytes(9), StandardCharsets.UTF_8)).isEqualTo("data: 1\n\n");
        answer.body().close();
    }

    @Test
    void eventsInChunksArriveOneByOne() throws Exception {
        app(box, 3012, "while read -r l; do [ ${#l} -le 1 ] && break; done; printf 'HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n'; "
                + "printf '9\\r\\ndata: 1\\n\\n\\r\\n'; read -r never");
        var answer = server.client().send(box.to(3012, "/").GET().build(), java.net.http.HttpResponse.BodyHandlers.ofInputStream());
        assertThat(new String(answer.body().readNBytes(9), StandardCharsets.UTF_8)).isEqualTo("data: 1\n\n");
        answer.body().close();
    }

    @Test
    void anUpgradeBecomesATunnel() throws Exception {
        app(box, 3003, "while read -r l; do [ ${#l} -le 1 ] && break; done; printf 'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: shout\\r\\nConnection: Upgrade\\r\\n\\r\\nhello\\n'; "
                + "while read -r l; do [ \"$l\" = bye ] && break; printf '%s!\\n' \"$l\"; done");
        var uri = URI.create(server.router());
        try (var socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(30_000);
            var out = socket.getOutputStream();
            out.write(("GET / HTTP/1.1\r\nHost: 3003-" + box.sandbox + ".x.test\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n").getBytes());
            assertThat(line(socket.getInputStream())).isEqualTo("HTTP/1.1 101 Switching Protocols\r");
            while (line(socket.getInputStream()).length() > 1) {
                // the head's other lines
            }
            assertThat(line(socket.getInputStream())).isEqualTo("hello");
            out.write("one\n".getBytes());
            assertThat(line(socket.getInputStream())).isEqualTo("one!");
            out.write("bye\n".getBytes());
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            line.append((char) b);
        }
        return line.toString();
    }

    @Test
    void whatCannotBeReachedIsToldByKind() throws Exception {
        var closed = box.send(box.to(4444, "/").GET());
        assertThat(closed.statusCode()).isEqualTo(502);
        assertThat(EnvdClient.JSON.readTree(closed.body()).get("port").intValue()).isEqualTo(4444);
        assertThat(EnvdClient.JSON.readTree(closed.body()).get("sandboxId").stringValue()).isEqualTo(box.sandbox);
        var unknown = box.send(box.bare("/").header("E2b-Sandbox-Id", "sb000000000000000000").header("E2b-Sandbox-Port", "3000").GET());
        assertThat(unknown.statusCode()).isEqualTo(502);
        assertThat(unknown.body()).doesNotContain("port");
        assertThat(box.send(box.bare("/").GET()).statusCode()).isEqualTo(400);
        assertThat(box.send(box.bare("/").header("E2b-Sandbox-Id", box.sandbox).GET()).statusCode()).isEqualTo(400);
        assertThat(box.send(box.to(70_000, "/").GET()).statusCode()).isEqualTo(400);
        var page = box.send(box.to(4444, "/").header("Accept", "text/html").GET());
        assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
    }

    @Test
    void anAnswerThatIsNoHttpOrHasNoEndOfItsHeadIsABadGateway() throws Exception {
        app(box, 3004, "echo 'this is no HTTP'; echo; read -r never");
        assertThat(box.send(box.to(3004, "/").GET()).statusCode()).isEqualTo(502);
        app(box, 3005, "printf 'HTTP/1.1 200 OK\\r\\n'; i=0; while [ $i -lt 4000 ]; do echo \"X-Filler-$i: 012345678901234567890123456789\"; i=$((i+1)); done; read -r never");
        assertThat(box.send(box.to(3005, "/").GET()).statusCode()).isEqualTo(502);
    }

    @Test
    void anAnswerThatBreaksOffNeverLooksWhole() throws Exception {
        app(box, 3006, "while read -r l; do [ ${#l} -le 1 ] && break; done; printf 'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n5\\r\\nfirst\\r\\n'");
        var text = raw("GET / HTTP/1.1\r\nHost: 3006-" + box.sandbox + ".x.test\r\nConnection: close\r\n\r\n");
        assertThat(text).doesNotEndWith("0\r\n\r\n");
    }

    @Test
    void aPortThatIsNotPublicNeedsTheTokenAndTheDaemonDoesNot() throws Exception {
        var made = EnvdClient.JSON.readTree(server.send("POST", "/v2/sandboxes", BodyPublishers.ofString("{\"templateID\":\"tiny\",\"network\":{\"allowPublicTraffic\":false}}"),
                "Content-Type", "application/json").body());
        var closed = new EnvdClient(server.client(), server.router(), made.get("sandboxID").stringValue(), made.get("envdAccessToken").stringValue());
        app(closed, 3000, "while read -r l; do case \"$l\" in *raffic*) echo LEAK;; esac; [ ${#l} -le 1 ] && break; done; printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'");
        assertThat(closed.send(closed.to(3000, "/").GET()).statusCode()).isEqualTo(403);
        assertThat(closed.send(closed.to(3000, "/").header("e2b-traffic-access-token", "0".repeat(64)).GET()).statusCode()).isEqualTo(403);
        var let = closed.send(closed.to(3000, "/").header("e2b-traffic-access-token", made.get("trafficAccessToken").stringValue()).GET());
        assertThat(let.body()).isEqualTo("ok");
        assertThat(closed.send(closed.to(49_983, "/health").GET()).statusCode()).isEqualTo(204);
    }
}
