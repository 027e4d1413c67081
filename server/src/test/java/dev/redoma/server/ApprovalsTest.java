// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.http.Json;
import dev.redoma.model.wire.Approval;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.CreateUser;
import dev.redoma.model.wire.DecideApproval;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.NewKey;
import dev.redoma.model.wire.Problem;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.User;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Approvals over the wire: the floor asks for one before `touch /tmp/asked*`, ports and longer lives.
@Timeout(300)
class ApprovalsTest {
    @TempDir
    private static Path dir;

    private static RealServer server;
    private static LabInternet internet;
    private static String agent;
    private static String alice;
    private static User person;

    @BeforeAll
    static void start() throws Exception {
        internet = new LabInternet();
        internet.names.put("a.asked.test", List.of(LabInternet.ORIGIN));
        internet.names.put("free.test", List.of(LabInternet.ORIGIN));
        var floor = dir.resolve("floor.yaml");
        Files.writeString(floor, "approve:\n  - {exec: [\"touch /tmp/asked*\"], within: 10m}\n  - {port: 4000-4999, within: 10m}\n  - {raise: lifetime}\n  - {egress: {hosts: [\"*.asked.test\"], class: web}, within: 10m}\negress:\n  web: [{hosts: [\"*\"], ports: any, tls: opaque}]\n");
        server = RealServer.start(Map.of("REDOMA_POLICY_FLOOR", floor.toString(), "REDOMA_APPROVALS_HOLD", "150ms", "REDOMA_APPROVALS_HOLD_EGRESS", "2s"), internet.dialler());
        agent = server.post("/v1/keys", new CreateKey("agent", null, List.of("read", "create", "exec")), NewKey.class).value();
        person = server.post("/v1/users", new CreateUser("Alice", null, "approver"), User.class);
        alice = server.post("/v1/keys", new CreateKey("alice", null, List.of("read", "approve"), person.id()), NewKey.class).value();
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
        internet.close();
    }

    private static HttpResponse<String> as(String key, String method, String path, Object body) throws Exception {
        return server.client().send(HttpRequest.newBuilder(URI.create(server.url() + path)).header("Authorization", "Bearer " + key).header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(Json.bytes(body))).build(), BodyHandlers.ofString());
    }

    private static Problem problem(HttpResponse<String> answer, int status, String code) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        var problem = Json.read(answer.body().getBytes(StandardCharsets.UTF_8), Problem.class);
        assertThat(problem.code()).isEqualTo(code);
        return problem;
    }

    private static String pending(HttpResponse<String> answer) {
        var problem = problem(answer, 403, "approval-pending");
        assertThat(problem.retryable()).isTrue();
        assertThat(problem.details()).containsKeys("approval", "expiresAt", "rules");
        return (String) problem.details().get("approval");
    }

    private static HttpResponse<String> run(String sandbox, String... argv) throws Exception {
        return as(agent, "POST", "/v1/sandboxes/" + sandbox + "/execs", new ExecSpec(List.of(argv), "/", Map.of("SECRET", "value-nobody-sees"), "root", null, null, null, null, null));
    }

    private static HttpResponse<String> decide(String key, String id, String verdict) throws Exception {
        return as(key, "POST", "/v1/approvals/" + id + "/decision", new DecideApproval(verdict, "because of " + verdict));
    }

    private static String sandbox() throws Exception {
        return RealServer.read(as(agent, "POST", "/v1/sandboxes", Map.of()), Sandbox.class).id();
    }

    private static void exits(String sandbox, HttpResponse<String> started) throws Exception {
        var exec = RealServer.read(started, Exec.class);
        assertThat(RealServer.read(as(agent, "GET", "/v1/sandboxes/" + sandbox + "/execs/" + exec.id() + "?waitMs=30000", null), Exec.class).exitCode()).isZero();
    }

    @Test
    void aCommandWaitsForAHumanGoesThroughOnceAndIsOnRecord() throws Exception {
        var box = sandbox();
        exits(box, run(box, "true"));
        var id = pending(run(box, "touch", "/tmp/asked\u202e1"));
        assertThat(server.get("/v1/sandboxes/" + box + "/files/stat?path=/tmp/asked%E2%80%AE1").statusCode()).as("nothing was done").isEqualTo(404);
        var shown = RealServer.read(as(alice, "GET", "/v1/approvals/" + id, null), Approval.class);
        assertThat(shown.shown()).containsEntry("argv", List.of("touch", "/tmp/asked\\u202e1")).containsEntry("cwd", "/").containsEntry("user", "root");
        assertThat(String.valueOf(shown.shown().get("envNames"))).contains("SECRET");
        assertThat(shown.toString()).doesNotContain("value-nobody-sees");
        problem(decide(agent, id, "approve"), 403, "forbidden");
        problem(decide(server.key(), id, "approve"), 403, "forbidden");
        assertThat(RealServer.read(decide(alice, id, "approve"), Approval.class).state()).isEqualTo("approved");
        assertThat(pending(run(box, "touch", "/tmp/asked\u202e1 "))).as("a byte more").isNotEqualTo(id);
        exits(box, run(box, "touch", "/tmp/asked\u202e1"));
        assertThat(pending(run(box, "touch", "/tmp/asked\u202e1"))).as("once").isNotEqualTo(id);
        var records = server.get("/v1/audit?category=approval&sandbox=" + box + "&limit=100").body();
        assertThat(records).contains("\"action\":\"asked\"").contains("\"action\":\"approved\"").contains("\"action\":\"redeemed\"").contains("because of approve").contains(person.id()).contains("asked\\\\u202e1")
                .doesNotContain("value-nobody-sees");
        assertThat(server.get("/v1/audit?category=exec&sandbox=" + box + "&limit=100").body()).contains("\"approval\":\"" + id + "\"");
        assertThat(as(alice, "POST", "/v1/sandboxes/" + box + "/execs", Map.of("argv", List.of("true"))).statusCode()).isEqualTo(403);
    }

    @Test
    void whatIsMaskedIsShownToNoApproverAndNamedInstead() throws Exception {
        var box = RealServer.read(as(agent, "POST", "/v1/sandboxes", Map.of("redact", Map.of("values", Map.of("DEPLOY_KEY", "hunter2-hunter2")))), Sandbox.class).id();
        var id = pending(run(box, "touch", "/tmp/asked-hunter2-hunter2"));
        var answer = as(alice, "GET", "/v1/approvals/" + id, null).body();
        assertThat(RealServer.read(as(alice, "GET", "/v1/approvals/" + id, null), Approval.class).shown()).containsEntry("argv", List.of("touch", "/tmp/asked-***************")).containsEntry("masked", List.of("DEPLOY_KEY"));
        assertThat(answer).doesNotContain("hunter2");
        assertThat(pending(run(box, "touch", "/tmp/asked-hunter3-hunter2"))).as("bound are the bytes themselves").isNotEqualTo(id);
        decide(alice, id, "approve");
        exits(box, run(box, "touch", "/tmp/asked-hunter2-hunter2"));
        assertThat(server.get("/v1/audit?category=approval&sandbox=" + box + "&limit=100").body()).doesNotContain("hunter2-hunter2");
    }

    @Test
    void aPortThatHumansDecideIsNotReachedByTheOtherApiEither() throws Exception {
        var template = RealServer.read(as(agent, "GET", "/v1/sandboxes/" + sandbox(), null), Sandbox.class).template().name();
        var box = EnvdClient.create(server, "{\"templateID\":\"" + template + "\",\"timeout\":600}");
        assertThat(box.send(box.to(5000, "/").GET()).statusCode()).as("nothing listens there").isEqualTo(502);
        assertThat(box.send(box.to(4000, "/").GET()).statusCode()).as("nobody approved it").isEqualTo(403);
    }

    @Test
    void whatIsInQuarantineIsEndedAndSignalledByOperatorsAlone() throws Exception {
        var box = sandbox();
        var exec = RealServer.read(run(box, "sleep", "300"), Exec.class).id();
        assertThat(server.post("/v1/sandboxes/" + box + "/quarantine", Map.of()).statusCode()).isEqualTo(200);
        var at = "/v1/sandboxes/" + box + "/execs/" + exec;
        assertThat(problem(as(agent, "DELETE", at, null), 403, "policy-refused").details()).containsEntry("reason", "quarantine");
        assertThat(problem(as(agent, "POST", at + "/signal", Map.of("signal", 9)), 403, "policy-refused").details()).containsEntry("reason", "quarantine");
        assertThat(RealServer.read(as(agent, "GET", at, null), Exec.class).state()).isEqualTo("running");
        assertThat(as(server.key(), "DELETE", at, null).statusCode()).isEqualTo(200);
    }

    /// Lines are what a shell runs; a private key's may be any.
    @Test
    void linesThatWouldBeMaskedAreForNobodyToApprove() throws Exception {
        var box = sandbox();
        var key = "-----BEGIN PRIVATE KEY-----\n" + "A".repeat(64) + "\n" + "/".repeat(56) + "tmp/evil\n";
        var refused = problem(run(box, "touch", "/tmp/asked\n" + key), 403, "policy-refused");
        assertThat(refused.details()).containsEntry("reason", "masked-lines");
        pending(run(box, "touch", "/tmp/asked\n*\n*\n"));
    }

    @Test
    void requestsAreListedByASandboxesName() throws Exception {
        var box = RealServer.read(as(agent, "POST", "/v1/sandboxes", Map.of("name", "by-name")), Sandbox.class).id();
        var id = pending(run(box, "touch", "/tmp/asked-by-name"));
        assertThat(as(alice, "GET", "/v1/approvals?sandbox=by-name", null).body()).contains(id);
        problem(as(alice, "GET", "/v1/approvals?sandbox=nobodys", null), 404, "sandbox-not-found");
    }

    @Test
    void aScriptIsShownByItsDigestAndOneThatChangedIsAnotherRequest() throws Exception {
        var box = RealServer.read(as(agent, "POST", "/v1/sandboxes", Map.of("policy", "approve: [{exec: ['sh /tmp/*', '/tmp/*'], within: 10m}]\n")), Sandbox.class).id();
        exits(box, run(box, "sh", "-c", "echo 'true' > /tmp/deploy.sh; chmod 755 /tmp/deploy.sh"));
        var digest = java.util.HexFormat.of().formatHex(java.security.MessageDigest.getInstance("SHA-256").digest("true\n".getBytes(StandardCharsets.UTF_8)));
        var id = pending(run(box, "sh", "/tmp/deploy.sh"));
        assertThat(RealServer.read(as(alice, "GET", "/v1/approvals/" + id, null), Approval.class).shown()).containsEntry("files", List.of("/tmp/deploy.sh: sha256:" + digest));
        assertThat(RealServer.read(as(alice, "GET", "/v1/approvals/" + pending(run(box, "/tmp/none")), null), Approval.class).shown()).containsEntry("files", List.of("/tmp/none: no digest, it is not there"));
        decide(alice, id, "approve");
        exits(box, run(box, "sh", "-c", "echo 'false' > /tmp/deploy.sh"));
        assertThat(pending(run(box, "sh", "/tmp/deploy.sh"))).as("another script").isNotEqualTo(id);
        exits(box, run(box, "sh", "-c", "echo 'true' > /tmp/deploy.sh"));
        exits(box, run(box, "sh", "/tmp/deploy.sh"));
        assertThat(server.get("/v1/audit?category=approval&sandbox=" + box + "&limit=100").body()).contains(digest);
    }

    @Test
    void whoWaitsIsAnsweredByTheDecisionItself() throws Exception {
        var box = sandbox();
        var id = pending(run(box, "touch", "/tmp/asked-held"));
        decide(alice, id, "approve");
        exits(box, run(box, "touch", "/tmp/asked-held"));
        var again = pending(run(box, "touch", "/tmp/asked-held"));
        decide(alice, again, "deny");
        var denied = problem(run(box, "touch", "/tmp/asked-held"), 403, "approval-denied");
        assertThat(denied.detail()).contains("because of deny");
        assertThat(denied.retryable()).isFalse();
        assertThat(as(alice, "GET", "/v1/approvals?sandbox=" + box, null).body()).isEqualTo("{\"items\":[]}");
        assertThat(as(alice, "GET", "/v1/approvals?open=false&sandbox=" + box, null).body()).contains(id).contains(again);
        var other = server.post("/v1/keys", new CreateKey("other", "acme", List.of("read")), NewKey.class).value();
        assertThat(as(other, "GET", "/v1/approvals?open=false", null).body()).isEqualTo("{\"items\":[]}");
        problem(as(other, "GET", "/v1/approvals/" + id, null), 404, "approval-not-found");
    }

    @Test
    void aPortAndALongerLifeWaitAsWell() throws Exception {
        var box = sandbox();
        var port = pending(as(agent, "POST", "/v1/sandboxes/" + box + "/exposures", new ExposePort(4000, "token", null)));
        assertThat(as(agent, "GET", "/v1/sandboxes/" + box + "/exposures", null).body()).isEqualTo("{\"items\":[]}");
        assertThat(as(agent, "POST", "/v1/sandboxes/" + box + "/exposures", new ExposePort(3000, "token", null)).statusCode()).isEqualTo(201);
        decide(alice, port, "approve");
        pending(as(agent, "POST", "/v1/sandboxes/" + box + "/exposures", new ExposePort(4000, "tenant", null)));
        assertThat(as(agent, "POST", "/v1/sandboxes/" + box + "/exposures", new ExposePort(4000, "token", null)).statusCode()).isEqualTo(201);
        var path = "/v1/sandboxes/" + box + "/lifetime";
        assertThat(as(agent, "POST", path, Map.of("lifetimeMs", 60_000)).statusCode()).isEqualTo(200);
        var longer = pending(as(agent, "POST", path, Map.of("lifetimeMs", 7_200_000)));
        decide(alice, longer, "approve");
        assertThat(as(agent, "POST", path, Map.of("lifetimeMs", 7_200_000)).statusCode()).isEqualTo(200);
        pending(as(agent, "POST", path, Map.of("lifetimeMs", 7_200_000)));
        var fork = "/v1/sandboxes/" + box + "/fork";
        var given = RealServer.read(as(agent, "GET", "/v1/sandboxes/" + box, null), Sandbox.class).limits().lifetimeMs();
        var more = Map.of("limits", Map.of("lifetimeMs", given + 60_000));
        var forked = pending(as(agent, "POST", fork, more));
        decide(alice, forked, "approve");
        assertThat(as(agent, "POST", fork, more)).matches(answer -> answer.statusCode() == 201, "forked");
        pending(as(agent, "POST", fork, more));
        assertThat(as(agent, "POST", fork, Map.of())).matches(answer -> answer.statusCode() == 201, "as long as its source");
    }

    /// Nobody is asked, as a build waits for nobody, and nothing of the step is done.
    @Test
    void aStepOfABuildThatARuleMeetsIsRefusedByName() throws Exception {
        var begun = server.post("/v1/templates/asks/builds", Map.of("recipe", "FROM tiny\nUSER root\nRUN touch /tmp/asked-by-a-build\n"));
        assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
        String build = "/v1/builds/" + EnvdClient.JSON.readTree(begun.body()).get("id").asString();
        org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(60)).untilAsserted(() -> assertThat(server.get(build).body()).contains("\"state\":\"failed\""));
        assertThat(server.get(build).body()).contains("\"code\":\"not-enforceable\"", "floor.approve[0]", "\"line\":3");
        assertThat(as(alice, "GET", "/v1/approvals?all=true", null).body()).doesNotContain("asked-by-a-build");
        assertThat(server.get("/v1/templates/asks").statusCode()).isEqualTo(404);
    }

    @Test
    void itSurvivesARestartOfTheServerAndEndsWithItsSandbox() throws Exception {
        var box = sandbox();
        var id = pending(run(box, "touch", "/tmp/asked-restart"));
        var left = pending(run(box, "touch", "/tmp/asked-left"));
        server.restart();
        decide(alice, id, "approve");
        server.restart();
        exits(box, run(box, "touch", "/tmp/asked-restart"));
        as(agent, "DELETE", "/v1/sandboxes/" + box, null);
        assertThat(RealServer.read(as(alice, "GET", "/v1/approvals/" + left, null), Approval.class).state()).isEqualTo("cancelled");
        problem(decide(alice, left, "approve"), 409, "wrong-state");
        assertThat(server.get("/v1/audit?category=approval&sandbox=" + box).body()).contains("\"action\":\"cancelled\"");
        assertThat(as(server.key(), "POST", "/v1/audit/erase", Map.of("sandbox", box)).statusCode()).isEqualTo(200);
        assertThat(as(alice, "GET", "/v1/approvals/" + left, null).statusCode()).as("what was shown is erased too").isEqualTo(404);
        var own = RealServer.read(as(agent, "POST", "/v1/sandboxes", Map.of("policy", "approve: [{exec: [\"of-the-policy*\"]}]\n")), Sandbox.class).id();
        assertThat(as(alice, "GET", "/v1/sandboxes/" + own + "/policy", null).body()).contains("of-the-policy");
        as(agent, "DELETE", "/v1/sandboxes/" + own, null);
        assertThat(as(server.key(), "POST", "/v1/audit/erase", Map.of("sandbox", own)).statusCode()).isEqualTo(200);
        var gone = as(alice, "GET", "/v1/sandboxes/" + own + "/policy", null);
        assertThat(gone.statusCode()).as("what its policy said is erased too").isEqualTo(410);
        assertThat(gone.body()).doesNotContain("of-the-policy");
        assertThat(as(alice, "GET", "/v1/approvals?all=true&sandbox=" + box, null).body()).doesNotContain("asked-");
    }

    @Test
    void aChangeSetIsAppliedOnceAfterAnotherPersonSawItWholeAlsoAfterTheEndOfItsSandbox() throws Exception {
        var box = RealServer.read(as(agent, "POST", "/v1/sandboxes", Map.of("policy", "approve: [{apply: true, within: 10m}]\n", "redact", Map.of("values", Map.of("NAME", "hunter2-hunter2")))), Sandbox.class).id();
        var path = "/v1/sandboxes/" + box;
        exits(box, run(box, "mkdir", "-p", "/srv/w"));
        RealServer.read(as(agent, "POST", path + "/workspace/start", Map.of("path", "/srv/w")), dev.redoma.model.wire.WorkspaceStart.class);
        exits(box, run(box, "sh", "-c", "cd /srv/w; echo one > a; echo hidden > 'b‮'; echo all: > Makefile; touch hunter2-hunter2"));
        var set = RealServer.read(as(alice, "GET", path + "/changes", null), dev.redoma.model.wire.ChangeSet.class);
        var apply = new dev.redoma.model.wire.ApplyChanges(set.digest(), null, "/home/bob/project");
        var before = problem(as(alice, "GET", path + "/changes/patches", null), 403, "policy-refused");
        assertThat(before.details()).containsEntry("reopen", "creator");
        var id = pending(as(agent, "POST", path + "/apply", apply));
        assertThat(pending(as(agent, "POST", path + "/apply", apply))).as("asked for once").isEqualTo(id);
        assertThat(as(alice, "GET", path + "/changes/patches", null).body()).as("whoever decides sees the text").contains("+all:");
        var shown = RealServer.read(as(alice, "GET", "/v1/approvals/" + id, null), Approval.class).shown();
        assertThat(shown).containsEntry("changes", set.digest()).containsEntry("root", "/srv/w").containsEntry("target", "/home/bob/project").containsEntry("count", 4).containsEntry("counts", Map.of("added", 4))
                .containsEntry("flagged", List.of("added Makefile [build-script]", "added b\\u202e [deceptive-name]")).containsEntry("masked", List.of("NAME")).doesNotContainKey("entriesNotShown");
        assertThat((List<?>) shown.get("entries")).map(Object::toString).containsExactlyInAnyOrder("added a", "added b\\u202e", "added Makefile", "added ***************");
        problem(decide(agent, id, "approve"), 403, "forbidden");
        decide(alice, id, "approve");
        var elsewhere = new dev.redoma.model.wire.ApplyChanges(set.digest(), null, "/home/bob/other");
        var part = new dev.redoma.model.wire.ApplyChanges(set.digest(), List.of("a"), "/home/bob/project");
        assertThat(List.of(pending(as(agent, "POST", path + "/apply", elsewhere)), pending(as(agent, "POST", path + "/apply", part)), pending(as(server.key(), "POST", path + "/apply", apply)))).doesNotHaveDuplicates().doesNotContain(id);
        exits(box, run(box, "sh", "-c", "echo two > /srv/w/a"));
        problem(as(agent, "POST", path + "/apply", apply), 409, "changes-moved");
        exits(box, run(box, "sh", "-c", "echo one > /srv/w/a"));
        as(agent, "DELETE", path, null);
        server.restart();
        var answers = java.util.stream.Stream.generate(() -> java.util.concurrent.CompletableFuture.supplyAsync(() -> {
            try {
                return as(agent, "POST", path + "/apply", apply);
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        })).limit(4).toList().stream().map(java.util.concurrent.CompletableFuture::join).toList();
        assertThat(answers.stream().filter(a -> a.statusCode() == 201)).as("used once, by whoever comes first: " + answers.stream().map(HttpResponse::body).toList()).hasSize(1);
        assertThat(answers.stream().filter(a -> a.statusCode() != 201).map(HttpResponse::statusCode)).allMatch(s -> s == 403 || s == 409);
        assertThat(RealServer.read(as(alice, "GET", "/v1/approvals/" + id, null), Approval.class).state()).isEqualTo("redeemed");
        assertThat(server.get("/v1/audit?category=file&sandbox=" + box + "&limit=100").body()).containsOnlyOnce("\"approval\":\"" + id + "\"");
        assertThat(server.get("/v1/audit?category=approval&sandbox=" + box + "&limit=100").body()).contains(set.digest()).contains("\"action\":\"redeemed\"").doesNotContain("hunter2-hunter2");
    }

    @Test
    void aRuleThatIsInForceIsTakenAwayByOperatorsAlone() throws Exception {
        var box = RealServer.read(as(agent, "POST", "/v1/sandboxes", Map.of("policy", "approve: [{exec: 'rm *', by: 2}]\n")), Sandbox.class).id();
        for (var text : List.of("none", "approve: [{exec: 'rm *'}]\n", "approve: [{exec: 'rm -rf *', by: 2}]\n")) {
            assertThat(problem(as(agent, "PUT", "/v1/sandboxes/" + box + "/policy", Map.of("policy", text)), 403, "policy-refused").details()).containsEntry("rule", "request.approve[0]");
        }
        pending(run(box, "rm", "x"));
        assertThat(as(agent, "PUT", "/v1/sandboxes/" + box + "/policy", Map.of("policy", "approve: [{exec: ls}, {exec: 'rm *', by: 3}]\n")).statusCode()).isEqualTo(200);
        pending(run(box, "ls"));
        assertThat(as(server.key(), "PUT", "/v1/sandboxes/" + box + "/policy", Map.of("policy", "none")).statusCode()).isEqualTo(200);
        exits(box, run(box, "ls"));
    }

    @Test
    void clientsOfE2bAreToldByAnErrorThatTheyKnow() throws Exception {
        var made = EnvdClient.JSON.readTree(as(agent, "POST", "/sandboxes", Map.of("templateID", "tiny")).body());
        var token = made.get("envdAccessToken");
        var envd = new EnvdClient(server.client(), server.router(), made.get("sandboxID").stringValue(), token == null ? "" : token.stringValue());
        var error = envd.run("touch /tmp/asked-e2b").error();
        assertThat(error.get("code").stringValue()).isEqualTo("permission_denied");
        var said = error.get("message").stringValue();
        assertThat(said).contains("approval").contains("same call again");
        var id = said.replaceAll("(?s).*?(ap[a-z0-9]{18}).*", "$1");
        decide(alice, id, "approve");
        assertThat(envd.run("touch /tmp/asked-e2b").end().get("exited").booleanValue()).isTrue();
        assertThat(envd.run("touch /tmp/asked-e2b").error().get("code").stringValue()).isEqualTo("permission_denied");
    }

    private static String fetch(String box, String host) throws Exception {
        var answer = run(box, "sh", "-c", "printf 'GET /x HTTP/1.1\\r\\nHost: " + host + "\\r\\n\\r\\n' | nc " + host + " 80 2>&1; true");
        var exec = RealServer.read(answer, Exec.class);
        as(agent, "GET", "/v1/sandboxes/" + box + "/execs/" + exec.id() + "?waitMs=30000", null);
        return as(agent, "GET", "/v1/sandboxes/" + box + "/execs/" + exec.id() + "/output", null).body();
    }

    private static List<String> arrivals() {
        return internet.arrivals.stream().filter(a -> a.contains("asked.test")).toList();
    }

    @Test
    void aConnectionOutWaitsAtTheGatewayAndIsToldThatOneIsPending() throws Exception {
        var box = RealServer.read(as(agent, "POST", "/v1/sandboxes", Map.of("policy", "egress: {web: [{hosts: ['*.asked.test', free.test], ports: [80], tls: opaque}]}\n")), Sandbox.class).id();
        internet.arrivals.clear();
        internet.names.asked.clear();
        assertThat(fetch(box, "free.test")).contains("200 OK");
        var told = fetch(box, "a.asked.test");
        assertThat(told).contains("403 Forbidden").contains("approval-pending");
        var id = told.replaceAll("(?s).*?(ap[a-z0-9]{18}).*", "$1");
        assertThat(arrivals()).isEmpty();
        assertThat(internet.names.names()).as("nobody is asked for a name that waits").containsExactly("free.test");
        assertThat(RealServer.read(as(alice, "GET", "/v1/approvals/" + id, null), Approval.class).shown()).containsEntry("to", "a.asked.test").containsEntry("class", "web").containsEntry("port", 80);
        decide(alice, id, "approve");
        assertThat(fetch(box, "a.asked.test")).contains("200 OK");
        assertThat(arrivals()).hasSize(1);
        var held = java.util.concurrent.CompletableFuture.supplyAsync(() -> {
            try {
                return fetch(box, "a.asked.test");
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        });
        org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).until(() -> as(alice, "GET", "/v1/approvals?sandbox=" + box, null).body().contains("\"state\":\"pending\""));
        var next = as(alice, "GET", "/v1/approvals?sandbox=" + box, null).body().replaceAll("(?s).*?(ap[a-z0-9]{18}).*", "$1");
        decide(alice, next, "deny");
        assertThat(held.get(30, java.util.concurrent.TimeUnit.SECONDS)).contains("approval-denied");
        assertThat(arrivals()).as("one approval, one connection").hasSize(1);
        assertThat(server.get("/v1/audit?category=egress&sandbox=" + box + "&limit=200").body()).contains("approval-pending").contains(id).contains("approval-denied");
    }
}
