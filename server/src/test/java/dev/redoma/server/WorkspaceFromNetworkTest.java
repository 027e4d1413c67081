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
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/// A workspace cloned over the network by git in the sandbox, under the sandbox's own policy, over the wire to a real server. The internet is a namespace of the test's own that leads
/// nowhere, with a git server in it.
@Timeout(180)
class WorkspaceFromNetworkTest {
    private static final String PUBLIC = "45.0.0.1";
    private static final String PRIVATE = "10.77.0.1";
    private static final String WEB = "egress: {web: [{hosts: ['*.allowed.test'], ports: [80, 443], tls: opaque}]}";
    private static final String INTERNAL = "egress: {internal: [{host: git.inside.test, cidrs: [10.77.0.0/24], ports: [8080]}]}";
    private static Path dir;
    private static Process internet;
    private static NetworkNamespace outside;
    private static GitOrigin origin;
    private static RealServer server;
    private static String app;

    @BeforeAll
    static void open() throws Exception {
        dir = Files.createTempDirectory(Path.of("/tmp"), "rdg");
        TlsInit.make(dir, "allowed.test");
        origin = new GitOrigin(Files.createDirectories(dir.resolve("repositories")));
        app = origin.repository("app", 1000);
        origin.repository("large", 80 << 20);
        internet = new ProcessBuilder("unshare", "--net", "sh", "-c",
                "ip link set lo up && ip addr add " + PUBLIC + "/32 dev lo && ip addr add " + PRIVATE + "/32 dev lo && echo ready && exec cat").start();
        assertThat(internet.getInputStream().readNBytes(6)).hasSize(6);
        outside = NetworkNamespace.ofProcess(internet.pid());
        origin.serve(outside.serverSocket().bind(new InetSocketAddress("0.0.0.0", 80)), null);
        origin.serve(outside.serverSocket().bind(new InetSocketAddress("0.0.0.0", 8080)), null);
        origin.serve(outside.serverSocket().bind(new InetSocketAddress("0.0.0.0", 443)), GitOrigin.tls(dir.resolve(TlsInit.CHAIN), dir.resolve(TlsInit.KEY)));
        Files.writeString(dir.resolve("floor.yaml"), "egress: {web: [{hosts: ['*'], ports: any, tls: opaque}], internal: [{host: git.inside.test, cidrs: [10.77.0.0/24], ports: any}]}");
        server = RealServer.start(Map.of("REDOMA_POLICY_FLOOR", dir.resolve("floor.yaml").toString(), "REDOMA_TIMES_WORKSPACE", "25s"),
                new CheckedDialler(WorkspaceFromNetworkTest::resolve, outside::socket, Duration.ofSeconds(5)));
        trusting();
    }

    /// `base`, and a saved one whose programs believe in the authority of the test.
    private static void trusting() throws Exception {
        var tar = dir.resolve("base.tar.zst");
        var home = Path.of(System.getProperty("redoma.root", "..")).toAbsolutePath();
        var built = new ProcessBuilder(home.resolve("template/base/build.sh").toString(), tar.toString()).redirectErrorStream(true).redirectOutput(dir.resolve("base.log").toFile()).start();
        assertThat(built.waitFor()).as(Files.readString(dir.resolve("base.log"))).isZero();
        var imported = server.send("PUT", "/v1/templates/base", BodyPublishers.ofFile(tar));
        assertThat(imported.statusCode()).as(imported.body()).isEqualTo(201);
        var box = server.post("/v1/sandboxes", Map.of("template", "base"), Sandbox.class);
        var put = server.send("PUT", "/v1/sandboxes/" + box.id() + "/files?path=/usr/local/share/ca-certificates/test.crt&user=root", BodyPublishers.ofFile(dir.resolve(TlsInit.AUTHORITY)),
                "Content-Type", "application/octet-stream");
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(run(box.id(), "root", "update-ca-certificates 2>&1")).contains("1 added");
        var saved = server.post("/v1/sandboxes/" + box.id() + "/snapshots", Map.of("name", "trusting"));
        assertThat(saved.statusCode()).as(saved.body()).isEqualTo(201);
        server.delete("/v1/sandboxes/" + box.id());
    }

    @AfterAll
    static void close() throws Exception {
        try {
            server.close();
        } finally {
            origin.close();
            outside.close();
            internet.destroy();
            Leftovers.remove(dir);
        }
    }

    @BeforeEach
    void fresh() {
        origin.arrived.clear();
    }

    @AfterEach
    void nothingHalfMadeIsLeft() {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(json(server.get("/v1/sandboxes?state=creating&state=running&state=stopped&state=paused")).get("items").size()).isZero());
    }

    private static InetAddress[] resolve(String host) throws IOException {
        return switch (host) {
            case "git.allowed.test" -> new InetAddress[] {InetAddress.ofLiteral(PUBLIC)};
            case "git.inside.test", "private.allowed.test" -> new InetAddress[] {InetAddress.ofLiteral(PRIVATE)};
            default -> throw new UnknownHostException(host);
        };
    }

    private static JsonNode json(HttpResponse<String> answer) {
        return EnvdClient.JSON.readTree(answer.body());
    }

    private static String run(String sandbox, String user, String script) throws Exception {
        var exec = json(server.post("/v1/sandboxes/" + sandbox + "/execs", Map.of("argv", List.of("sh", "-c", script), "user", user)));
        var id = exec.get("id").stringValue();
        assertThat(json(server.get("/v1/sandboxes/" + sandbox + "/execs/" + id + "?waitMs=60000")).get("exitCode").asInt(-1)).isZero();
        var events = server.send("GET", "/v1/sandboxes/" + sandbox + "/execs/" + id + "/output", BodyPublishers.noBody(), "Accept", "text/event-stream").body();
        var said = new java.io.ByteArrayOutputStream();
        events.lines().filter(l -> l.startsWith("data:") && l.contains("\"base64\"")).forEach(l -> said.writeBytes(java.util.Base64.getDecoder().decode(EnvdClient.JSON.readTree(l.substring(5)).get("base64").stringValue())));
        return said.toString(java.nio.charset.StandardCharsets.UTF_8);
    }

    private static HttpResponse<String> create(String policy, String from, Object... more) throws Exception {
        var request = new HashMap<String, Object>(Map.of("template", "trusting", "policy", policy, "workspace", Map.of("from", from)));
        for (int i = 0; i < more.length; i += 2) {
            request.put((String) more[i], more[i + 1]);
        }
        return server.post("/v1/sandboxes", request);
    }

    @ParameterizedTest
    @CsvSource({"http://git.allowed.test/app.git, web", "https://git.allowed.test/app.git#main, web", "http://git.inside.test:8080/app.git, internal"})
    void aRepositoryThatThePolicyReachesIsClonedInTheSandboxAndItsCommitIsOnRecord(String url, String egressClass) throws Exception {
        var box = RealServer.read(create(egressClass.equals("web") ? WEB : INTERNAL, "git:" + url), Sandbox.class);
        try {
            assertThat(box.workspace().commit()).isEqualTo(app);
            assertThat(origin.arrived).contains("GET /app.git/info/refs?service=git-upload-pack").noneMatch(a -> a.contains("password"));
            assertThat(run(box.id(), "user", "cd workspace && cat README && git rev-parse HEAD && git config remote.origin.url && stat -c %U README"))
                    .isEqualTo("app\n" + app + "\n" + url.replaceAll("#.*", "") + "\nuser\n");
            var records = json(server.get("/v1/audit?sandbox=" + box.id() + "&limit=200")).get("items").valueStream().toList();
            assertThat(records.stream().filter(r -> r.get("action").asString().equals("workspace")).map(r -> r.get("fields").get("commit").asString())).containsExactly(app);
            assertThat(records.stream().filter(r -> r.get("action").asString().equals("connect")).map(r -> r.get("fields").get("class").asString())).isNotEmpty().containsOnly(egressClass);
        } finally {
            server.delete("/v1/sandboxes/" + box.id());
        }
    }

    @ParameterizedTest
    @CsvSource({"none, https://git.allowed.test/app.git, none.default, no-network", "web, https://git.elsewhere.test/app.git, request.default, no-rule", "only443, http://git.allowed.test/app.git, request.default, port",
        "denied, https://git.allowed.test/app.git, request.web[1], denied", "web, http://45.0.0.1/app.git, request.default, no-rule", "web, https://169.254.169.254/a, never, never-dialled"})
    void whatThePolicyDoesNotReachIsRefusedBeforeAnythingIsMadeNamingHostAndRule(String policy, String url, String rule, String reason) throws Exception {
        var text = switch (policy) {
            case "none" -> "none";
            case "only443" -> "egress: {web: [{hosts: ['*.allowed.test'], tls: opaque}]}";
            case "denied" -> "egress: {web: [{hosts: ['*.allowed.test'], tls: opaque}, {deny: [git.allowed.test]}]}";
            default -> WEB;
        };
        var answer = create(text, "git:" + url, "labels", Map.of("test", "refused"));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
        var problem = json(answer);
        assertThat(problem.get("code").asString()).isEqualTo("policy-refused");
        assertThat(problem.get("details").get("field").asString()).isEqualTo("workspace.from");
        assertThat(problem.get("details").get("host").asString()).isEqualTo(url.replaceAll("https?://|/.*", ""));
        assertThat(problem.get("details").get("rule").asString()).isEqualTo(rule);
        assertThat(problem.get("details").get("reason").asString()).isEqualTo(reason);
        assertThat(problem.get("remedy").asString()).contains("hosts:").contains("--policy");
        assertThat(origin.arrived).isEmpty();
        assertThat(json(server.get("/v1/sandboxes?label=test%3Drefused&state=ended")).get("items").size()).as("nothing was begun").isZero();
    }

    @ParameterizedTest
    @CsvSource({"http://private.allowed.test/app.git, private.allowed.test, private-address", "http://git.allowed.test/away.git, elsewhere.test, no-rule"})
    void whatTheGatewayRefusesOnTheWayIsTheReasonThatIsTold(String url, String host, String reason) throws Exception {
        var answer = create(WEB, "git:" + url);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
        var problem = json(answer);
        assertThat(problem.get("code").asString()).isEqualTo("policy-refused");
        assertThat(problem.get("detail").asString()).contains(host);
        assertThat(problem.get("details").get("reason").asString()).isEqualTo(reason);
        assertThat(problem.get("details").get("output").asString()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({"http://git.allowed.test/none.git, not found", "http://git.allowed.test/app.git#nosuch, nosuch", "http://git.allowed.test/secret.git, could not read Username", "https://gone.allowed.test/app.git, gone.allowed.test"})
    void whatCannotBeClonedIsToldInGitsWordsAtOnce(String url, String words) throws Exception {
        long before = System.nanoTime();
        var answer = create(WEB, "git:" + url);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
        assertThat(json(answer).get("code").asString()).isEqualTo("setup-failed");
        assertThat(json(answer).get("detail").asString()).contains(words);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).as("nothing waits for a name or password").isLessThan(Duration.ofSeconds(22));
    }

    @Test
    void aServerThatFallsSilentIsGivenUpWhenTheTimeIsOver() throws Exception {
        long before = System.nanoTime();
        var answer = create(WEB, "git:http://git.allowed.test/stall.git");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(Duration.ofSeconds(24), Duration.ofSeconds(55));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
        assertThat(json(answer).get("details").get("limit").asString()).isEqualTo("times.workspace");
    }

    @Test
    void aRepositoryLargerThanTheDiskIsNoSandbox() throws Exception {
        var answer = create(WEB, "git:http://git.allowed.test/large.git", "limits", Map.of("diskBytes", 64 << 20));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
        assertThat(json(answer).get("code").asString()).isEqualTo("setup-failed");
        assertThat(json(answer).get("detail").asString()).containsAnyOf("No space left", "Disk quota exceeded");
    }
}
