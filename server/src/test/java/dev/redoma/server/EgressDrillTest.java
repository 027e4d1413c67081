// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What leaves when something that holds it has failed: nothing. A program inside tries all the time; what the internet sees counts.
@Timeout(180)
class EgressDrillTest {
    private static final String ALLOWS = "egress:\n  web:\n    - {hosts: ['*.allowed.test'], ports: [80, 443], tls: opaque}\n";
    private static final Duration LOOK = Duration.ofMillis(1500);
    private static LabInternet internet;
    private static RealServer server;
    private static LabBox box;

    @BeforeAll
    static void open() throws Exception {
        internet = new LabInternet();
        server = RealServer.start(Map.of("REDOMA_POOL_SIZE", "6GiB"), internet.dialler());
        LabBox.template(server);
        internet.names.put("a.allowed.test", List.of("45.0.0.1"));
        box = LabBox.create(server, ALLOWS);
        box.start("while True:\n  http('a.allowed.test', 'GET /all-the-time HTTP/1.1\\nHost: a.allowed.test\\n\\n')\n  literal('198.18.1.0', 80, b'GET /known HTTP/1.1\\r\\nHost: a.allowed.test\\r\\n\\r\\n', False)\n  time.sleep(0.05)");
        reached();
    }

    @AfterAll
    static void close() throws Exception {
        try {
            server.close();
        } finally {
            internet.close();
        }
    }

    private static void reached() {
        internet.arrivals.clear();
        within(() -> assertThat(internet.arrivals).anyMatch(a -> a.contains("/all-the-time")).anyMatch(a -> a.contains("/known")));
    }

    private static void within(ThrowingRunnable what) {
        await().atMost(Duration.ofSeconds(40)).untilAsserted(what);
    }

    /// For as long as one looks, not a packet comes.
    private static void nothingLeaves() throws Exception {
        long before = internet.packets();
        Thread.sleep(LOOK); // the programs inside go on trying in that time
        assertThat(internet.packets()).isEqualTo(before);
    }

    private static void sql(String statement) throws Exception {
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + server.data().resolve("redoma.db")); var run = database.createStatement()) {
            run.execute("PRAGMA busy_timeout = 20000");
            run.execute(statement);
        }
    }

    @Test
    void nw03WithoutTheGatewayNothingLeavesAndWithItAgainTheSameAddressesLead() throws Exception {
        server.away(EgressDrillTest::nothingLeaves);
        reached();
    }

    @Test
    void nw02APolicyThatCannotBeReadAnyMoreLetsNothingOut() throws Exception {
        server.away(() -> sql("UPDATE sandbox_policy SET sources = replace(sources, 'hosts:', 'hoses:') WHERE sandbox = '" + box.id + "'"));
        nothingLeaves();
        box.policy(ALLOWS);
        reached();
    }

    @Test
    void whatCannotBeRecordedDoesNotLeave() throws Exception {
        sql("CREATE TRIGGER full BEFORE INSERT ON record BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END");
        try {
            within(() -> {
                long before = internet.packets();
                Thread.sleep(LOOK); // what is the same as before is counted for ten seconds; then it has to be written
                assertThat(internet.packets()).isEqualTo(before);
            });
            nothingLeaves();
        } finally {
            sql("DROP TRIGGER full");
        }
        reached();
    }

    /// Its records of egress alone cannot be written while it ends; what is said at its end is that something is lacking, and whoever verifies is told.
    @Test
    void whatIsLackingOnRecordIsAFindingAtTheEnd() throws Exception {
        var whole = LabBox.create(server, ALLOWS);
        whole.run("user", "sh", "-c", "getent hosts a.allowed.test; getent hosts x.denied.test; true");
        var lacking = LabBox.create(server, ALLOWS);
        lacking.start("while True:\n  http('a.allowed.test', 'GET /lacking HTTP/1.1\\nHost: a.allowed.test\\n\\n')\n  ask('x.denied.test')\n  time.sleep(0.05)");
        within(() -> assertThat(internet.arrivals).anyMatch(a -> a.contains("/lacking")));
        server.delete("/v1/sandboxes/" + whole.id);
        sql("CREATE TRIGGER full BEFORE INSERT ON record WHEN NEW.category = 'egress' BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END");
        try {
            assertThat(server.delete("/v1/sandboxes/" + lacking.id).statusCode()).isEqualTo(200);
        } finally {
            sql("DROP TRIGGER full");
        }
        assertThat(server.get("/v1/audit?category=sandbox&limit=1000&sandbox=" + whole.id).body()).doesNotContain("\"gap\"").contains("\"reconciled\"", "\"unsettled\":0");
        assertThat(server.get("/v1/audit?category=sandbox&limit=1000&sandbox=" + lacking.id).body()).contains("\"action\":\"gap\"", "\"unsettled\":1");
        assertThat(server.post("/v1/audit/verify", Map.of()).body()).contains("\"status\":\"ok\"", "of 1 sandbox they tell at its end that not all of it is on record");
    }

    @Test
    void aStormOfChangesEndsInTheLastOfThem() throws Exception {
        String denies = ALLOWS.replace("allowed", "other");
        for (int i = 0; i < 60; i++) {
            box.policy(i % 2 == 0 ? denies : ALLOWS);
        }
        box.policy(denies);
        nothingLeaves();
        box.policy(ALLOWS);
        reached();
    }

    @Test
    void aFloodOfOneSandboxKeepsAnotherFromNothingAndIsCounted() throws Exception {
        var flood = LabBox.create(server, ALLOWS);
        flood.start("""
                def asks():
                    while True:
                        ask('f%d.denied.test' % random.randrange(1 << 30))
                def connects():
                    while True:
                        attempt(lambda: connection(('198.18.1.0', 443)).close())
                ask('flood.allowed.test')
                for what in [asks] * 8 + [connects] * 8:
                    threading.Thread(target=what).start()
                """);
        within(() -> assertThat(flood.records(0)).hasSizeGreaterThan(100));
        for (int i = 0; i < 10; i++) {
            reached();
        }
        server.delete("/v1/sandboxes/" + flood.id);
        assertThat(flood.records(flood.last() - 50)).anyMatch(r -> "many".equals(r.fields().get("reason")) && ((Number) r.fields().get("again")).longValue() > 100);
    }

    /// Whatever comes to `came` by any of this host's addresses.
    private static ServerSocketChannel service(List<String> came) throws java.io.IOException {
        var service = ServerSocketChannel.open().bind(new InetSocketAddress(0));
        Thread.ofVirtual().start(() -> {
            while (service.isOpen()) {
                try (var one = service.accept()) {
                    came.add(String.valueOf(one.getRemoteAddress()));
                } catch (java.io.IOException closed) {
                    return;
                }
            }
        });
        return service;
    }

    @Test
    void servicesOfThisHostTheApiAndTheRouterAmongThemAreReachedByNobody() throws Exception {
        var came = new CopyOnWriteArrayList<String>();
        try (var service = service(came)) {
            int port = ((InetSocketAddress) service.getLocalAddress()).getPort();
            var every = LabBox.create(server, "egress:\n  web:\n    - {hosts: ['*'], ports: any, tls: opaque}\n");
            var addresses = new java.util.ArrayList<>(EgressAddressCases.own());
            addresses.addAll(List.of("127.0.0.1", "::1", "0.0.0.0", "::ffff:127.0.0.1"));
            int at = 0;
            for (int target : List.of(port, URI.create(server.url()).getPort(), URI.create(server.router()).getPort())) {
                for (String address : addresses) {
                    String name = "own" + at++ + ".any.test";
                    internet.names.put(name, List.of(InetAddress.ofLiteral(address).getHostAddress()));
                    for (String user : List.of("user", "root")) {
                        every.probe(user, "literal('" + address + "', " + target + "); tcp('" + name + "', " + target + ")");
                    }
                }
            }
            assertThat(came).isEmpty();
            assertThat(every.records(0)).filteredOn(r -> r.action().equals("connect")).isEmpty();
            assertThat(every.records(0)).filteredOn(r -> r.action().equals("connect.denied")).allMatch(r -> r.fields().get("reason").equals("never-dialled"))
                    .extracting(r -> r.fields().get("host")).contains("own0.any.test", "own" + (at - 1) + ".any.test");
        }
    }

    /// A request can name an address that the server, or a sandbox for it, goes to: in these fields and no others.
    @Test
    void nw21NothingThatARequestNamesMakesTheServerDialWhatPolicyDoesNot() throws Exception {
        var came = new CopyOnWriteArrayList<String>();
        try (var service = service(came)) {
            int port = ((InetSocketAddress) service.getLocalAddress()).getPort();
            var addresses = new java.util.ArrayList<>(EgressAddressCases.own().stream().filter(a -> !a.contains(":")).toList());
            addresses.addAll(List.of("127.0.0.1", "localhost", "0.0.0.0", "[::1]", "0x7f000001"));
            for (String address : addresses) {
                String at = address + ":" + port;
                for (String policy : List.of("internet", "egress: {web: [{hosts: ['*'], ports: any, tls: opaque}]}")) {
                    var made = server.post("/v1/sandboxes", Map.of("template", "base", "policy", policy, "workspace", Map.of("from", "git:http://" + at + "/r.git")));
                    assertThat(made.statusCode()).as(at + made.body()).isBetween(400, 499);
                }
                var begun = server.post("/v1/templates/pulled/builds", Map.of("image", at + "/r:v1"));
                assertThat(begun.statusCode()).as(at + begun.body()).isBetween(200, 499);
                if (begun.statusCode() < 300) {
                    String build = "/v1/builds/" + EnvdClient.JSON.readTree(begun.body()).get("id").asString();
                    within(() -> assertThat(server.get(build).body()).contains("\"state\":\"failed\""));
                }
            }
            assertThat(came).isEmpty();
        }
        var fields = new java.util.TreeSet<String>();
        EnvdClient.JSON.readTree(server.get("/v1/openapi.json").body()).get("components").get("schemas").properties().forEach(schema -> schema.getValue().path("properties").propertyNames().forEach(name -> {
            if (name.matches("(?i).*(url|uri|image|^from|remote|webhook|callback|endpoint|registry|repository).*")) {
                fields.add(schema.getKey() + "." + name);
            }
        }));
        // answers, and a path inside: Change, Exposure, Line, Move, Workspace
        assertThat(fields).containsExactlyInAnyOrder("NewWorkspace.from", "StartBuild.image", "Change.from", "Exposure.pathUrl", "Exposure.url", "Line.from", "Move.from", "Workspace.from");
    }

    /// The kernel joins whoever finds a socket file: so nobody finds one whose policy is another.
    @Test
    void aSocketInASharedVolumeJoinsOnlySandboxesUnderOnePolicy() throws Exception {
        assertThat(server.post("/v1/volumes", Map.of("name", "common", "sizeBytes", 64 << 20, "shared", true)).statusCode()).isEqualTo(201);
        var mounts = List.of(Map.of("name", "common", "path", "/v"));
        var readers = List.of(Map.of("name", "common", "path", "/v", "readOnly", true));
        var one = LabBox.create(server, ALLOWS, Map.of("volumes", mounts));
        one.start("s = socket.socket(socket.AF_UNIX); s.bind('/v/s'); os.chmod('/v/s', 0o777); s.listen()\nwhile True:\n  c, _ = s.accept(); c.sendall(b'joined'); c.close()");
        for (var asked : List.of(mounts, readers)) {
            for (String policy : List.of("none", "internet", ALLOWS.replace("allowed", "other"))) {
                var refused = server.post("/v1/sandboxes", Map.of("template", "base", "policy", policy, "volumes", asked));
                assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
                assertThat(refused.body()).contains("policy-refused", "common");
            }
        }
        var other = LabBox.create(server, ALLOWS, Map.of("volumes", readers));
        for (String user : List.of("user", "root")) {
            within(() -> assertThat(LabBox.printed(other.probe(user, "s = socket.socket(socket.AF_UNIX); s.connect('/v/s'); told(s.recv(9))"))).contains("joined"));
        }
        for (String policy : List.of("none", "internet")) {
            var changed = server.send("PUT", "/v1/sandboxes/" + other.id + "/policy", java.net.http.HttpRequest.BodyPublishers.ofString("{\"policy\":\"" + policy + "\"}"), "Content-Type", "application/json");
            assertThat(changed.statusCode()).as(changed.body()).isEqualTo(403);
        }
        for (var box : List.of(one, other)) {
            server.delete("/v1/sandboxes/" + box.id);
        }
        within(() -> assertThat(server.delete("/v1/volumes/common").statusCode()).isEqualTo(204));
    }
}
