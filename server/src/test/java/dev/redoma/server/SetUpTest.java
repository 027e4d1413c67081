// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.model.wire.Sandbox;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// A policy's set-up: what runs before a sandbox is anybody's, and an egress that is over then.
@Timeout(120)
class SetUpTest {
    private static final String ORIGIN = "45.0.0.1";
    /// What is reached by set-up is `setup.test`, by the sandbox `later.test`, by both `both.test`.
    private static final String REST = "  egress: {web: [{hosts: ['setup.test:80', 'setup.test:9000', 'both.test:9000'], tls: opaque}]}\negress: {web: [{hosts: ['later.test:80', 'both.test:9000'], tls: opaque}]}\n";

    private static final List<String> arrived = new CopyOnWriteArrayList<>();
    private static Process internet;
    private static NetworkNamespace outside;
    private static ServerSocketChannel web;
    private static ServerSocketChannel held;
    private static RealServer server;

    @BeforeAll
    static void open() throws Exception {
        internet = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && ip addr add " + ORIGIN + "/32 dev lo && echo ready && exec cat").start();
        assertThat(internet.getInputStream().readNBytes(6)).hasSize(6);
        outside = NetworkNamespace.ofProcess(internet.pid());
        web = serve(80, connection -> connection.write(ByteBuffer.wrap("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n".getBytes())));
        held = serve(9000, connection -> {
            arrived.add("held");
            connection.write(ByteBuffer.wrap("in\n".getBytes()));
            while (connection.read(ByteBuffer.allocate(100)) >= 0) {
                // until it ends
            }
            arrived.add("ended");
        });
        server = RealServer.start(Map.of("REDOMA_TIMES_WORKSPACE", "8s", "REDOMA_WARM_SIZE", "1"), new CheckedDialler(SetUpTest::resolve, outside::socket, Duration.ofSeconds(5)));
    }

    private interface Serving {
        void serve(SocketChannel connection) throws IOException;
    }

    private static ServerSocketChannel serve(int port, Serving serving) throws IOException {
        var listener = outside.serverSocket().bind(new InetSocketAddress(ORIGIN, port));
        Thread.ofVirtual().start(() -> {
            while (listener.isOpen()) {
                try {
                    var connection = listener.accept();
                    Thread.ofVirtual().start(() -> {
                        try (connection) {
                            if (port == 80) {
                                var head = ByteBuffer.allocate(4096);
                                connection.read(head);
                                arrived.add(new String(head.array(), 0, head.position()).lines().filter(l -> l.startsWith("Host:")).findFirst().orElse("?"));
                            }
                            serving.serve(connection);
                        } catch (IOException cut) {
                            arrived.add("ended");
                        }
                    });
                } catch (IOException closed) {
                    return;
                }
            }
        });
        return listener;
    }

    @AfterAll
    static void close() throws Exception {
        try {
            server.close();
        } finally {
            web.close();
            held.close();
            outside.close();
            internet.destroy();
        }
    }

    @BeforeEach
    void fresh() {
        arrived.clear();
    }

    private static InetAddress[] resolve(String host) throws IOException {
        if (List.of("setup.test", "later.test", "both.test").contains(host)) {
            return new InetAddress[] {InetAddress.ofLiteral(ORIGIN)};
        }
        throw new UnknownHostException(host);
    }

    private static JsonNode json(String body) {
        return EnvdClient.JSON.readTree(body);
    }

    private static String records(String sandbox, String category) throws Exception {
        return server.get("/v1/audit?sandbox=" + sandbox + "&category=" + category + "&newest=100").body();
    }

    @Test
    void setUpReachesWhatItMayAndNothingOfItIsOpenWhenTheSandboxIsSomebodys() throws Exception {
        var box = server.post("/v1/sandboxes", Map.of("policy", "setup:\n  run:\n    - wget -qO /tmp/got http://setup.test/\n    - '! wget -qO /tmp/later http://later.test/'\n"
                + "    - \"for h in setup both; do (sleep 600 | nc $h.test 9000 > /tmp/in-$h; echo over >> /tmp/over) > /dev/null 2>&1 & done; "
                + "i=0; while [ $(cat /tmp/in-* | wc -l) -lt 2 ] && [ $i -lt 70 ]; do sleep 0.1; i=$((i+1)); done\"\n" + REST), Sandbox.class);
        assertThat(arrived).containsOnlyOnce("Host: setup.test").doesNotContain("Host: later.test").filteredOn("held"::equals).hasSize(2);
        await().atMost(Duration.ofSeconds(30)).until(() -> arrived.stream().filter("ended"::equals).count() == 2);
        var in = new BaseBox(server, box);
        assertThat(in.run("user", "cat /tmp/got; wget -qO- http://setup.test/ 2> /dev/null || echo refused; wget -qO- http://later.test/").out()).isEqualTo("hello\nrefused\nhello\n");
        assertThat(records(box.id(), "sandbox")).contains("\"action\":\"set-up\"", "\"commands\":3");
        assertThat(records(box.id(), "egress")).contains("request.setup.web[0]", "request.web[0]");
        var told = server.get("/v1/sandboxes/" + box.id() + "/policy").body();
        assertThat(told).contains("request.setup.web[0]", "before anybody else can run anything");
        server.delete("/v1/sandboxes/" + box.id());
    }

    @Test
    void whileItRunsNobodyElseRunsAnything() throws Exception {
        var making = CompletableFuture.supplyAsync(() -> {
            try {
                return server.post("/v1/sandboxes", Map.of("name", "slow", "policy", "setup: {run: ['sleep 4; touch /tmp/done']}"), Sandbox.class);
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        });
        await().atMost(Duration.ofSeconds(30)).until(() -> server.get("/v1/sandboxes/slow").statusCode() == 200);
        var other = server.post("/v1/sandboxes/slow/execs", Map.of("argv", List.of("test", "-e", "/tmp/done")));
        if (other.statusCode() < 300) { // it waited
            assertThat(json(server.get("/v1/sandboxes/slow/execs/" + json(other.body()).get("id").asString() + "?waitMs=30000").body()).get("exitCode").asInt(-1)).isZero();
        } else {
            assertThat(json(other.body()).get("code").asString()).as(other.body()).isEqualTo("wrong-state");
        }
        assertThat(making.get().state()).isEqualTo("running");
        server.delete("/v1/sandboxes/slow");
    }

    @Test
    void aCommandThatFailsFailsTheCreateWithItsLastWords() throws Exception {
        var failed = server.post("/v1/sandboxes", Map.of("name", "failing", "policy", "setup: {run: ['echo first', 'echo last words; exit 3', 'echo never']}"));
        assertThat(failed.statusCode()).isEqualTo(422);
        assertThat(json(failed.body()).get("code").asString()).isEqualTo("setup-failed");
        assertThat(failed.body()).contains("Command 2 of 3", "exit code 3", "last words", "\"exitCode\":3", "\"step\":2").doesNotContain("never");
        assertThat(server.get("/v1/sandboxes?state=creating&state=running").body()).doesNotContain("failing");
        var slow = server.post("/v1/sandboxes", Map.of("policy", "setup: {run: ['sleep 60']}"));
        assertThat(slow.body()).contains("setup-failed", "longer than it may");
    }

    @Test
    void whatItsEgressRefusedIsToldWithTheFailure() throws Exception {
        var failed = server.post("/v1/sandboxes", Map.of("policy", "setup:\n  run: ['wget -qO- http://later.test/']\n" + REST));
        assertThat(failed.statusCode()).isEqualTo(422);
        assertThat(failed.body()).contains("setup-failed", "\"refused\":\"later.test\"", "setup.egress");
        assertThat(arrived).isEmpty();
        var silent = server.post("/v1/sandboxes", Map.of("policy", "setup: {run: ['wget -qO- http://setup.test/']}\negress: {web: [{hosts: ['setup.test:80'], tls: opaque}]}"));
        assertThat(silent.body()).as("without rules of its own nothing leaves").contains("setup-failed");
        assertThat(arrived).isEmpty();
    }

    @Test
    void whatCannotBeDoneIsRefusedByName() throws Exception {
        for (var wrong : Map.of("setup: {egress: {}}", "needs run", "setup: {run: []}", "setup.run", "setup: {run: [ls], egress: {git: [{remote: x}]}}", "'git'",
                "setup: {run: [ls], egress: {internal: [{cidr: 10.0.0.0/8, port: 80}]}}", "leaves nothing of it", "setup: {run: [ls], user: root}", "unknown key").entrySet()) {
            var refused = server.post("/v1/sandboxes", Map.of("policy", wrong.getKey()));
            assertThat(refused.statusCode()).as(refused.body()).isBetween(400, 501);
            assertThat(refused.body()).as(wrong.getKey()).contains(wrong.getValue());
        }
        assertThat(server.post("/v1/sandboxes", Map.of("policy", "setup: {run: [ls]}\napprove: [{exec: ['rm *']}]")).body()).contains("not-enforceable", "approve commands");
        var both = server.post("/v1/sandboxes", Map.of("policy", "setup: {run: [ls]}", "workspace", Map.of("from", "git:file:///srv/x")));
        assertThat(both.body()).contains("not-enforceable", "workspace.from");
    }
}
