// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.http.Json;
import dev.redoma.ledger.Ledger;
import dev.redoma.ledger.Verdict;
import dev.redoma.model.wire.Approval;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.CreateUser;
import dev.redoma.model.wire.NewKey;
import dev.redoma.model.wire.User;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// A long mixed session whose truth is written down as it is played: two keys of an agent and a person, everything that a sandbox can do and be refused. An export alone must tell the same, act by act.
@Timeout(300)
class SessionTruthTest {
    private static final String OUT = "egress:\n  web:\n    - {hosts: ['*.allowed.test'], ports: [80], tls: opaque}\n";
    private static final String POLICY = OUT + "preview: [{port: 3000-4999, audience: tenant}]\n";
    private static RealServer server;
    private static LabInternet internet;
    private final List<String> truth = new ArrayList<>();

    private record Key(String id, String value) {}

    private record Answer(int status, String body) {
        JsonNode json() {
            return EnvdClient.JSON.readTree(body);
        }

        Answer expect(int wanted) {
            assertThat(status).as(body).isEqualTo(wanted);
            return this;
        }

        String code() {
            return json().get("code").asString();
        }

        String id() {
            return json().get("id").asString();
        }
    }

    @BeforeAll
    static void start(@TempDir Path dir) throws Exception {
        internet = new LabInternet();
        internet.names.put("a.allowed.test", List.of(LabInternet.ORIGIN));
        var floor = Files.writeString(dir.resolve("floor.yaml"), "approve:\n  - {exec: [\"touch /tmp/asked*\"], within: 10m}\n  - {port: 4000-4999, within: 10m}\n  - {apply: true}\n" + OUT + "preview: [{port: 3000-4999, audience: tenant}]\n");
        server = RealServer.start(Map.of("REDOMA_POLICY_FLOOR", floor.toString(), "REDOMA_APPROVALS_HOLD", "100ms"), internet.dialler());
    }

    @AfterAll
    static void stop() throws Exception {
        try {
            server.close();
        } finally {
            internet.close();
        }
    }

    private static Key key(String name, List<String> scopes, String person) throws Exception {
        var made = server.post("/v1/keys", new CreateKey(name, null, scopes, person), NewKey.class);
        return new Key(made.key().id(), made.value());
    }

    private static Answer as(Key key, String method, String path, Object body) throws Exception {
        var publisher = body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body instanceof byte[] raw ? raw : Json.bytes(body));
        var answer = server.client().send(HttpRequest.newBuilder(URI.create(server.url() + path)).header("Authorization", "Bearer " + key.value())
                .header("Content-Type", body instanceof byte[] ? "application/octet-stream" : "application/json").method(method, publisher).build(), BodyHandlers.ofString());
        return new Answer(answer.statusCode(), answer.body());
    }

    private void told(Key key, String... acts) {
        for (var act : acts) {
            truth.add(key.id() + " " + act);
        }
    }

    private static Map<String, Object> command(String... argv) {
        return Map.of("argv", List.of(argv));
    }

    /// A command to its end.
    private void run(Key key, String sandbox, String end, String... argv) throws Exception {
        var exec = as(key, "POST", sandbox + "/execs", command(argv)).expect(201).id();
        var ended = as(key, "GET", sandbox + "/execs/" + exec + "?waitMs=30000", null).expect(200).json();
        assertThat(ended.get("state").asString()).isEqualTo("exited");
        told(key, "exec.requested " + argv[0], "exec.approved policy", "exec.ended " + end);
    }

    private static String pending(Answer answer) {
        assertThat(answer.expect(403).code()).isEqualTo("approval-pending");
        return answer.json().get("details").get("approval").asString();
    }

    private void decide(Key person, String approval, String verdict) throws Exception {
        var state = as(person, "POST", "/v1/approvals/" + approval + "/decision", Map.of("verdict", verdict, "reason", "because")).expect(200);
        told(person, "approval." + Json.read(state.body().getBytes(StandardCharsets.UTF_8), Approval.class).state());
    }

    @Test
    void aLongMixedSessionIsToldByItsExportAlone(@TempDir Path dir) throws Exception {
        var agent = key("agent", List.of("read", "create", "exec"), null);
        var helper = key("helper", List.of("read", "create", "exec"), null);
        var carol = server.post("/v1/users", new CreateUser("Carol", null, "approver"), User.class);
        var operator = key("operator", List.of("read", "create", "exec", "operate"), null);
        var person = key("carol", List.of("read", "approve"), carol.id());

        var made = as(agent, "POST", "/v1/sandboxes", Map.of("policy", POLICY, "reopen", "tenant")).expect(201);
        var id = made.id();
        var box = "/v1/sandboxes/" + id;
        told(agent, "sandbox.create", "policy.set", "sandbox.running");

        // commands, files, background
        run(agent, box, "exited 0", "sh", "-c", "mkdir -p /home/user/w; echo one > /home/user/w/a; echo gone > /home/user/w/b");
        as(agent, "POST", box + "/workspace/start", Map.of("path", "/home/user/w")).expect(201);
        told(agent, "file.workspace.start");
        as(helper, "PUT", box + "/files?path=/home/user/w/c", "content".getBytes(StandardCharsets.UTF_8)).expect(200);
        told(helper, "file.write");
        as(helper, "POST", box + "/files/mkdir", Map.of("path", "/home/user/w/d")).status();
        told(helper, "file.mkdir");
        as(helper, "DELETE", box + "/files?path=/home/user/w/none", null).expect(404);
        told(helper, "file.remove", "file.remove.failed");
        run(helper, box, "exited 3", "sh", "-c", "rm /home/user/w/b; exit 3");
        var service = as(helper, "POST", box + "/execs", command("sleep", "1000")).expect(201).id();
        told(helper, "exec.requested sleep", "exec.approved policy");
        as(helper, "POST", box + "/execs", Map.of("argv", List.of("true"), "cwd", "/no/such/place")).expect(422);
        told(helper, "exec.requested true", "exec.approved policy", "exec.ended refused");

        // approvals: one that is denied, one that goes through once, a port
        var asked = Map.<String, Object>of("argv", List.of("touch", "/tmp/asked-1"), "cwd", "/");
        var first = pending(as(agent, "POST", box + "/execs", asked));
        told(agent, "approval.asked");
        decide(person, first, "deny");
        assertThat(as(agent, "POST", box + "/execs", asked).expect(403).code()).isEqualTo("approval-denied");
        var other = Map.<String, Object>of("argv", List.of("touch", "/tmp/asked-2"), "cwd", "/");
        var second = pending(as(agent, "POST", box + "/execs", other));
        told(agent, "approval.asked");
        decide(person, second, "approve");
        var approved = as(agent, "POST", box + "/execs", other).expect(201).id();
        as(agent, "GET", box + "/execs/" + approved + "?waitMs=30000", null).expect(200);
        told(agent, "approval.redeemed", "exec.requested touch", "exec.approved approval", "exec.ended exited 0");
        assertThat(as(agent, "POST", box + "/exposures", Map.of("port", 22)).code()).isEqualTo("policy-refused");
        told(agent, "preview.expose.refused");
        var port = Map.<String, Object>of("port", 4000, "audience", "tenant");
        var third = pending(as(agent, "POST", box + "/exposures", port));
        told(agent, "approval.asked");
        decide(person, third, "approve");
        var exposed = as(agent, "POST", box + "/exposures", port).expect(201).id();
        told(agent, "approval.redeemed", "preview.expose");
        as(agent, "DELETE", box + "/exposures/" + exposed, null).expect(204);
        told(agent, "preview.revoke");

        // the way out: one that is let through, two that are not
        run(agent, box, "exited 0", "sh", "-c", "wget -qO- http://a.allowed.test/hello");
        run(agent, box, "exited 1", "wget", "-qO-", "http://exfiltrate.test/");

        // pause, snapshot, fork, lifetime, policy
        as(helper, "POST", box + "/pause", Map.of()).expect(200);
        told(helper, "sandbox.pause", "sandbox.paused");
        as(helper, "POST", box + "/resume", Map.of()).expect(200);
        told(helper, "sandbox.resume", "sandbox.resumed");
        as(agent, "POST", box + "/snapshots", Map.of("name", "middle")).expect(201);
        told(agent, "sandbox.snapshot", "sandbox.snapshot.saved");
        var fork = as(agent, "POST", box + "/fork", Map.of()).expect(201).id();
        told(agent, "sandbox.snapshot", "sandbox.snapshot.saved"); // what the fork begins with
        as(agent, "POST", box + "/lifetime", Map.of("lifetimeMs", 3_000_000)).expect(200);
        told(agent, "sandbox.lifetime");
        as(agent, "PUT", box + "/policy", Map.of("policy", OUT)).expect(200);
        told(agent, "policy.changed");

        // review
        as(agent, "POST", box + "/artifacts", Map.of("patterns", List.of("c"))).expect(201);
        told(agent, "file.artifacts");
        var changes = as(agent, "GET", box + "/changes", null).expect(200).json();
        var wanted = Map.<String, Object>of("digest", changes.get("digest").asString());
        var fourth = pending(as(agent, "POST", box + "/apply", wanted));
        told(agent, "approval.asked");
        decide(person, fourth, "approve");
        var apply = as(agent, "POST", box + "/apply", wanted).expect(201).json().get("id").asString();
        told(agent, "approval.redeemed", "file.apply");
        as(agent, "POST", box + "/apply/" + apply + "/result", Map.of("outcome", "applied")).expect(204);
        told(agent, "file.apply.applied");

        // somebody looks on for a while
        var vera = server.post("/v1/users", new CreateUser("Vera", null, "viewer"), User.class);
        var viewer = key("vera", List.of("read"), vera.id());
        as(viewer, "GET", box + "/execs/" + service + "/terminal?mode=read", null).expect(403);
        told(viewer, "attach.refused");
        var grant = as(agent, "POST", box + "/attach/grants", Map.of("person", vera.id(), "mode", "read")).expect(201).id();
        told(agent, "attach.granted");
        var heard = new TenancyTest.Heard();
        server.client().newWebSocketBuilder().header("Authorization", "Bearer " + viewer.value())
                .buildAsync(URI.create(server.url().replace("http:", "ws:") + box + "/execs/" + service + "/terminal?mode=read"), heard).join();
        told(viewer, "attach.attached");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(as(agent, "GET", box + "/attach", null).expect(200).body()).contains(viewer.id()));
        as(agent, "DELETE", box + "/attach/grants/" + grant, null).expect(204);
        told(agent, "attach.revoked");
        told(viewer, "attach.detached");

        // the end
        as(helper, "DELETE", box + "/execs/" + service, null).expect(200);
        as(helper, "GET", box + "/execs/" + service + "?waitMs=30000", null).expect(200);
        told(helper, "exec.kill", "exec.ended exited killed");
        as(agent, "POST", box + "/quarantine", Map.of()).expect(200);
        told(agent, "sandbox.quarantine", "sandbox.pause", "sandbox.paused");
        as(agent, "DELETE", box, null).expect(403);
        as(operator, "DELETE", box, null).expect(200);
        told(operator, "sandbox.kill", "sandbox.ended");

        truth.add("engine file.changes");
        truth.add("engine file.changes");

        var export = dir.resolve("export.jsonl");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            Files.writeString(export, server.get("/v1/audit/export").body());
            assertThat(lines(export, id, false)).containsExactlyElementsOf(truth);
        });
        assertThat(Ledger.verifyExport(export, server.get("/v1/audit/key").body().replaceAll(".*\"publicKey\":\"([^\"]+)\".*", "$1")).status()).isEqualTo(Verdict.Status.OK);
        assertThat(lines(export, id, true).stream().distinct()).as("what the gateway saw").containsExactly("gateway egress.dns a.allowed.test", "gateway egress.connect a.allowed.test",
                "gateway egress.connect.closed a.allowed.test", "gateway egress.dns.denied exfiltrate.test");
        assertThat(lines(export, fork, false)).startsWith(agent.id() + " sandbox.create", agent.id() + " policy.set").contains(agent.id() + " sandbox.running");
        sources(export, id);
        ended(export, id, carol.id());
    }

    /// What only the guest could know is marked as its word; everything else is the host's own.
    private static void sources(Path export, String sandbox) throws Exception {
        for (var line : records(export, sandbox)) {
            var record = line.get("record");
            var guests = record.path("fromGuest").valueStream().map(JsonNode::asString).toList();
            var what = record.get("category").asString() + "." + record.get("action").asString();
            boolean end = record.get("category").asString().equals("exec") && record.get("action").asString().equals("ended");
            assertThat(guests).as("%s", record).isEqualTo(what.matches("file[.].*[.]failed") ? List.of("code") : !end ? List.of() : record.get("fields").get("state").asString().equals("refused") ? List.of("code", "message") : List.of("exitCode", "signal", "outputSha256"));
        }
    }

    private static void ended(Path export, String sandbox, String person) throws Exception {
        var all = records(export, sandbox);
        var reconciled = all.stream().map(l -> l.get("record")).filter(r -> r.get("category").asString().equals("sandbox") && r.get("action").asString().equals("ended")).findFirst().orElseThrow()
                .get("fields").get("reconciled");
        assertThat(reconciled.get("whole").asBoolean()).as("%s", reconciled).isTrue();
        assertThat(reconciled.get("commands").asInt()).isEqualTo(6);
        assertThat(reconciled.get("egress").get("connections").toString()).isEqualTo("[1,1]");
        assertThat(reconciled.get("egress").get("refused").valueStream().mapToInt(JsonNode::asInt).distinct().count()).isEqualTo(1);
        var decisions = all.stream().map(l -> l.get("record")).filter(r -> r.get("category").asString().equals("approval") && r.get("action").asString().matches("approved|denied")).toList();
        assertThat(decisions).hasSize(4).allMatch(r -> r.get("fields").get("person").asString().equals(person));
    }

    private static List<JsonNode> records(Path export, String sandbox) throws Exception {
        var records = new ArrayList<JsonNode>();
        for (var text : Files.readAllLines(export)) {
            var line = EnvdClient.JSON.readTree(text);
            if (line.has("record") && sandbox.equals(line.get("record").path("sandbox").asString(null))) {
                records.add(line);
            }
        }
        return records;
    }

    /// Each record of the sandbox as who, what and what of it; those of the gateway come when their connections do.
    private static List<String> lines(Path export, String sandbox, boolean gateways) throws Exception {
        return records(export, sandbox).stream().filter(l -> l.get("record").get("actor").asString().equals("gateway") == gateways)
                .map(l -> l.get("record").get("actor").asString() + " " + l.get("record").get("category").asString() + "." + l.get("record").get("action").asString() + more(l.get("record"), l.path("opened"))).toList();
    }

    private static String more(JsonNode record, JsonNode opened) {
        var fields = record.get("fields");
        return switch (record.get("category").asString() + "." + record.get("action").asString()) {
            case "exec.requested" -> " " + opened.get("argv").get(0).asString();
            case "exec.approved" -> " " + fields.get("by").asString();
            case "exec.ended" -> " " + fields.get("state").asString() + (fields.path("killed").asBoolean(false) ? " killed" : fields.has("exitCode") ? " " + fields.get("exitCode").asInt() : "");
            default -> record.get("category").asString().equals("egress") ? " " + opened.path("host").asString("-") : "";
        };
    }
}
