// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.kernel.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// What E2B's clients say of a sandbox's network, over the wire to a real server and tried from inside. The internet is a namespace of the test's own that leads nowhere;
/// what got out is what arrived there.
@Timeout(120)
class E2bNetworkWireTest {
    private static final String ORIGIN = "45.0.0.1";
    private static final String OTHER = "45.0.1.1";
    private static final List<String> ARRIVED = new CopyOnWriteArrayList<>();
    private static Process internet;
    private static NetworkNamespace outside;
    private static ServerSocketChannel origin;
    private static ServerSocketChannel other;
    private static RealServer server;

    @BeforeAll
    static void open() throws Exception {
        internet = new ProcessBuilder("unshare", "--net", "sh", "-c",
                "ip link set lo up && ip addr add " + ORIGIN + "/32 dev lo && ip addr add " + OTHER + "/32 dev lo && echo ready && exec cat").start();
        assertThat(internet.getInputStream().readNBytes(6)).hasSize(6);
        outside = NetworkNamespace.ofProcess(internet.pid());
        origin = outside.serverSocket().bind(new InetSocketAddress("0.0.0.0", 80));
        other = outside.serverSocket().bind(new InetSocketAddress("0.0.0.0", 8080));
        Thread.ofVirtual().start(() -> serve(origin));
        Thread.ofVirtual().start(() -> serve(other));
        server = RealServer.start(Map.of(), new CheckedDialler(E2bNetworkWireTest::resolve, outside::socket, Duration.ofSeconds(5)));
    }

    @AfterAll
    static void close() throws Exception {
        try {
            server.close();
        } finally {
            origin.close();
            other.close();
            outside.close();
            internet.destroy();
        }
    }

    private static InetAddress[] resolve(String host) throws IOException {
        return switch (host) {
            case "a.allowed.test", "b.allowed.test" -> new InetAddress[] {InetAddress.ofLiteral(ORIGIN)};
            case "other.test" -> new InetAddress[] {InetAddress.ofLiteral(OTHER)};
            default -> throw new UnknownHostException(host);
        };
    }

    private static void serve(ServerSocketChannel at) {
        while (at.isOpen()) {
            try (var connection = at.accept()) {
                var in = ByteBuffer.allocate(8192);
                connection.read(in);
                ARRIVED.add(new String(in.array(), 0, in.position()).lines().findFirst().orElse("nothing"));
                connection.write(ByteBuffer.wrap("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n".getBytes()));
            } catch (IOException closed) {
                // the next, if there is one
            }
        }
    }

    private static EnvdClient box(String more) throws Exception {
        return EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600" + (more.isEmpty() ? "" : "," + more) + "}");
    }

    /// Whether a request from inside arrived and was answered.
    private static boolean reaches(EnvdClient box, String url) throws Exception {
        ARRIVED.clear();
        var ran = box.run("wget -qO- http://" + url + " || echo refused");
        assertThat(ran.err()).doesNotContain("fault");
        assertThat(ran.out()).isIn("ok\n", "refused\n");
        assertThat(ARRIVED).hasSize(ran.out().equals("ok\n") ? 1 : 0);
        return ran.out().equals("ok\n");
    }

    private static void change(EnvdClient box, String network) throws Exception {
        var answer = put(box, network);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    }

    private static HttpResponse<String> put(EnvdClient box, String network) throws Exception {
        return server.send("PUT", "/sandboxes/" + box.sandbox + "/network", BodyPublishers.ofString(network), "Content-Type", "application/json");
    }

    private static JsonNode shown(EnvdClient box) throws Exception {
        return EnvdClient.JSON.readTree(server.get("/sandboxes/" + box.sandbox).body());
    }

    @Test
    void onlyWhatIsAllowedIsReachedAndItIsShown() throws Exception {
        var box = box("\"network\":{\"allowOut\":[\"*.allowed.test\"],\"denyOut\":[\"0.0.0.0/0\"]}");
        assertThat(reaches(box, "a.allowed.test/")).isTrue();
        assertThat(reaches(box, "other.test/")).isFalse();
        assertThat(reaches(box, ORIGIN + "/")).isFalse();
        assertThat(shown(box).get("network").get("allowOut").toString()).isEqualTo("[\"*.allowed.test\"]");
        assertThat(shown(box).get("network").get("denyOut").toString()).isEqualTo("[\"0.0.0.0/0\"]");
        assertThat(shown(box).get("allowInternetAccess").booleanValue()).isTrue();
    }

    @Test
    void whoGetsInIsNoPartOfAnUpdate() throws Exception {
        var box = box("\"network\":{\"allowOut\":[\"a.allowed.test\"],\"denyOut\":[\"0.0.0.0/0\"]}");
        for (var field : java.util.List.of("\"allowPublicTraffic\":false", "\"maskRequestHost\":\"x\"", "\"httpsPorts\":[443]")) {
            var refused = put(box, "{" + field + "}");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(501);
            assertThat(refused.body()).contains("network." + field.split("\"")[1]);
        }
        assertThat(reaches(box, "a.allowed.test/")).as("nothing changed").isTrue();
    }

    @Test
    void anUpdateReplacesAllAndIsInForceWhenItIsAnswered() throws Exception {
        var box = box("\"network\":{\"allowOut\":[\"a.allowed.test\"],\"denyOut\":[\"0.0.0.0/0\"]}");
        assertThat(reaches(box, "a.allowed.test/")).isTrue();
        change(box, "{\"allowOut\":[\"" + OTHER + "\"],\"denyOut\":[\"0.0.0.0/0\"]}");
        assertThat(reaches(box, "a.allowed.test/")).isFalse();
        assertThat(reaches(box, OTHER + ":8080/")).isTrue();
        change(box, "{\"allow_internet_access\":false}");
        assertThat(reaches(box, OTHER + ":8080/")).isFalse();
        assertThat(shown(box).get("allowInternetAccess").booleanValue()).isFalse();
        change(box, "{}");
        assertThat(shown(box).get("network").get("allowOut").size()).isZero();
    }

    /// Requests that never pause: none of them arrives that was begun more than 100 ms after the answer.
    @Test
    void anUpdateBitesWithinAHundredMilliseconds() throws Exception {
        var box = box("\"network\":{\"allowOut\":[\"a.allowed.test\"],\"denyOut\":[\"0.0.0.0/0\"]}");
        try (var loop = box.stream("process.Process/Start", EnvdClient.sh("while :; do wget -qO- http://a.allowed.test/ >/dev/null 2>&1; done"))) {
            loop.next();
            org.awaitility.Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> ARRIVED.size() > 3);
            change(box, "{\"allow_internet_access\":false}");
            Thread.sleep(100);
            ARRIVED.clear();
            Thread.sleep(1_000);
            assertThat(ARRIVED).isEmpty();
        }
        server.delete("/sandboxes/" + box.sandbox);
    }

    @Test
    void whatIsWishedStaysWithAForkAndAfterARestart() throws Exception {
        var box = box("\"network\":{\"allowOut\":[\"a.allowed.test\"],\"denyOut\":[\"0.0.0.0/0\"]}");
        var forks = EnvdClient.JSON.readTree(server.send("POST", "/sandboxes/" + box.sandbox + "/fork", BodyPublishers.ofString("{}"), "Content-Type", "application/json").body());
        var made = forks.get(0).get("sandbox");
        server.restart();
        var fork = new EnvdClient(server.client(), server.router(), made.get("sandboxID").stringValue(), made.get("envdAccessToken").stringValue());
        assertThat(shown(fork).get("network").get("allowOut").toString()).isEqualTo("[\"a.allowed.test\"]");
        assertThat(reaches(fork, "a.allowed.test/")).isTrue();
        assertThat(reaches(fork, "b.allowed.test/")).isFalse();
    }

    @Test
    void accessToTheInternetIsWhatTheServersPolicyGivesAndIsNeverRefused() throws Exception {
        for (var body : List.of("", "\"allow_internet_access\":true", "\"network\":{\"allowOut\":[],\"denyOut\":[]}", "\"network\":{\"denyOut\":[\"" + OTHER + "\"]}")) {
            var box = box(body);
            assertThat(reaches(box, "a.allowed.test/")).as(body).isFalse();
            assertThat(shown(box).get("allowInternetAccess").booleanValue()).as(body).isFalse();
            server.delete("/sandboxes/" + box.sandbox);
        }
    }

    @Test
    void whatCannotBeMeantOrEnforcedIsRefusedByItsFieldAndChangesNothing() throws Exception {
        var box = box("\"network\":{\"allowOut\":[\"a.allowed.test\"],\"denyOut\":[\"0.0.0.0/0\"]}");
        var refused = Map.of("{\"denyOut\":[\"other.test\"]}", "400 network.denyOut", "{\"allowOut\":[\"a.allowed.test\"]}", "400 network.allowOut",
                "{\"egressProxy\":{\"address\":\"proxy.example.com:1\"}}", "501 network.egressProxy", "{\"httpsPorts\":[8443]}", "501 network.httpsPorts",
                "{\"rules\":{\"a.allowed.test\":[{\"transform\":{\"headers\":{\"a\":\"b\"}}}]}}", "501 network.rules");
        for (var one : refused.entrySet()) {
            var made = server.send("POST", "/v2/sandboxes", BodyPublishers.ofString("{\"templateID\":\"tiny\",\"network\":" + one.getKey() + "}"), "Content-Type", "application/json");
            for (var answer : List.of(made, put(box, one.getKey()))) {
                assertThat(answer.statusCode() + " " + answer.body()).startsWith(one.getValue().substring(0, 3)).contains(one.getValue().substring(4));
            }
        }
        assertThat(reaches(box, "a.allowed.test/")).isTrue();
    }
}
