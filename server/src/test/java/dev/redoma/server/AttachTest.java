// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.http.Json;
import dev.redoma.model.wire.AttachGrant;
import dev.redoma.model.wire.Attached;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.CreateUser;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.NewAttachGrant;
import dev.redoma.model.wire.NewKey;
import dev.redoma.model.wire.Problem;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.User;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// People who join what runs, over the wire: a program's key made the sandbox, Viv may only read, Otto runs commands of his own, Olga is of another tenant.
@Timeout(300)
class AttachTest {
    private static RealServer server;
    private static String agent;
    private static User viv;
    private static String vivKey;
    private static User otto;
    private static String ottoKey;
    private static User olga;
    private static String olgaKey;

    @BeforeAll
    static void start() throws Exception {
        server = RealServer.start(Map.of());
        agent = server.post("/v1/keys", new CreateKey("agent", null, List.of("read", "create", "exec")), NewKey.class).value();
        viv = server.post("/v1/users", new CreateUser("Viv", null, "viewer"), User.class);
        vivKey = server.post("/v1/keys", new CreateKey("viv", null, List.of("read"), viv.id()), NewKey.class).value();
        otto = server.post("/v1/users", new CreateUser("Otto", null, "operator"), User.class);
        ottoKey = server.post("/v1/keys", new CreateKey("otto", null, List.of("read", "exec"), otto.id()), NewKey.class).value();
        olga = server.post("/v1/users", new CreateUser("Olga", "acme", "operator"), User.class);
        olgaKey = server.post("/v1/keys", new CreateKey("olga", "acme", List.of("read", "exec"), olga.id()), NewKey.class).value();
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
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

    /// A sandbox of the agent's with a command that says what it read.
    private record Place(String box, String exec) {
        static Place make() throws Exception {
            var box = RealServer.read(as(agent, "POST", "/v1/sandboxes", Map.of("redact", Map.of("values", Map.of("NAME", "hunter2-hunter2")))), Sandbox.class).id();
            return new Place(box, started(box));
        }

        static String started(String box) throws Exception {
            return RealServer.read(as(agent, "POST", "/v1/sandboxes/" + box + "/execs", Map.of("argv", List.of("sh", "-c", "while read l; do echo got-$l; done"), "stdin", true)), Exec.class).id();
        }

        String path(String rest) {
            return "/v1/sandboxes/" + box + rest;
        }

        String terminal(String mode) {
            return path("/execs/" + exec + "/terminal?mode=" + mode);
        }

        Joined joined(String key, String mode) {
            var heard = new TenancyTest.Heard();
            return new Joined(heard, server.client().newWebSocketBuilder().header("Authorization", "Bearer " + key).buildAsync(URI.create(server.url().replace("http:", "ws:") + terminal(mode)), heard).join());
        }

        void type(String text) throws Exception {
            assertThat(server.client().send(HttpRequest.newBuilder(URI.create(server.url() + path("/execs/" + exec + "/stdin"))).header("Authorization", "Bearer " + agent)
                    .header("Content-Type", "application/octet-stream").POST(BodyPublishers.ofString(text)).build(), BodyHandlers.ofString()).statusCode()).isEqualTo(204);
        }

        AttachGrant grant(NewAttachGrant what) throws Exception {
            return RealServer.read(as(agent, "POST", path("/attach/grants"), what), AttachGrant.class);
        }

        Attached attached(String key) throws Exception {
            return RealServer.read(as(key, "GET", path("/attach"), null), Attached.class);
        }

        String records() throws Exception {
            return server.get("/v1/audit?category=attach&sandbox=" + box + "&limit=200").body();
        }

        void record(String part) {
            Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(records()).contains(part));
        }
    }

    private record Joined(TenancyTest.Heard heard, WebSocket socket) {
        void type(String text) {
            socket.sendBinary(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), true).join();
        }

        void sees(String text) {
            Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(heard.text.toString()).contains(text));
        }
    }

    private static NewAttachGrant to(User person, String exec, String mode, Long ttlMs) {
        return new NewAttachGrant(person.id(), null, exec, mode, ttlMs);
    }

    @Test
    void aReaderSeesMaskedOutputTypesNothingIsSeenByTheOwnerAndIsCutOffByARevocation() throws Exception {
        var place = Place.make();
        assertThat(problem(as(vivKey, "GET", place.terminal("read"), null), 403, "policy-refused").details()).containsEntry("reason", "attach");
        assertThat(problem(as(vivKey, "POST", place.path("/attach/grants"), to(viv, null, "read", null)), 403, "forbidden").details()).containsEntry("scope", "exec");
        assertThat(problem(as(ottoKey, "POST", place.path("/attach/grants"), to(otto, null, "write", null)), 403, "policy-refused").details()).containsEntry("reason", "attach");
        assertThat(problem(as(agent, "POST", place.path("/attach/grants"), to(viv, null, "write", null)), 400, "invalid-field").detail()).contains("'exec'");
        for (var nobody : List.of(to(olga, null, "read", null), new NewAttachGrant(null, "ky" + "0".repeat(18), null, "read", null))) {
            assertThat(problem(as(agent, "POST", place.path("/attach/grants"), nobody), 400, "invalid-field").detail()).contains("nobody of this tenant");
        }
        for (var wrong : List.of(to(viv, null, "own", null), to(viv, null, "read", 1L), to(viv, null, "read", 8 * 86_400_000L), new NewAttachGrant(null, null, null, "read", null), new NewAttachGrant(viv.id(), "ky" + "0".repeat(18), null, "read", null))) {
            problem(as(agent, "POST", place.path("/attach/grants"), wrong), 400, "invalid-field");
        }
        problem(as(agent, "POST", place.path("/attach/grants"), to(viv, "ex" + "0".repeat(18), "read", null)), 404, "exec-not-found");
        var grant = place.grant(to(viv, null, "read", null));
        assertThat(Duration.between(grant.createdAt(), grant.expiresAt())).isEqualTo(Duration.ofHours(1));
        problem(as(vivKey, "GET", place.terminal("write"), null), 403, "forbidden");
        var reader = place.joined(vivKey, "read");
        place.type("hunter2-hunter2\n");
        reader.sees("got-***************");
        reader.type("typed-by-viv\n");
        reader.sees("attach-read-only");
        reader.socket.sendText("{\"cols\":80,\"rows\":24}", true).join();
        place.type("after\n");
        reader.sees("got-after");
        assertThat(reader.heard.text.toString()).doesNotContain("hunter2").doesNotContain("got-typed");
        assertThat(place.attached(agent).attachments()).singleElement().satisfies(a -> assertThat(List.of(a.exec(), a.mode(), a.person(), a.grant())).containsExactly(place.exec, "read", viv.id(), grant.id()));
        assertThat(place.attached(vivKey).grants()).extracting(AttachGrant::id).containsExactly(grant.id());
        problem(as(olgaKey, "GET", place.terminal("read"), null), 404, "sandbox-not-found");
        problem(as(olgaKey, "GET", place.path("/attach"), null), 404, "sandbox-not-found");
        problem(as(olgaKey, "DELETE", place.path("/attach/grants/" + grant.id()), null), 404, "sandbox-not-found");
        problem(as(agent, "DELETE", place.path("/attach/grants/ag" + "0".repeat(18)), null), 404, "attach-grant-not-found");
        assertThat(as(agent, "DELETE", place.path("/attach/grants/" + grant.id()), null).statusCode()).isEqualTo(204);
        assertThat(place.attached(agent)).as("when it answers").isEqualTo(new Attached(List.of(), List.of()));
        assertThat(reader.heard.closed.get(10, TimeUnit.SECONDS)).startsWith("4403").contains("revoked");
        place.type("later\n");
        problem(as(vivKey, "GET", place.terminal("read"), null), 403, "policy-refused");
        assertThat(reader.heard.text.toString()).doesNotContain("later");
        assertThat(place.records()).contains("\"action\":\"granted\"").contains("\"action\":\"refused\"").contains("\"action\":\"attached\"").containsOnlyOnce("\"action\":\"write-refused\"").contains("\"action\":\"revoked\"")
                .containsOnlyOnce("\"action\":\"detached\"").contains("\"why\":\"revoked\"").contains("\"refusedWrites\":2").contains("\"person\":\"" + viv.id() + "\"").doesNotContain("hunter2");
    }

    @Test
    void aWriterTypesIntoTheCommandOfTheGrantAloneBesideTheOwnerAndHowMuchIsOnRecord() throws Exception {
        var place = Place.make();
        var other = new Place(place.box, Place.started(place.box));
        place.grant(to(otto, place.exec, "write", null));
        problem(as(ottoKey, "GET", other.terminal("write"), null), 403, "policy-refused");
        problem(as(ottoKey, "GET", other.terminal("read"), null), 403, "policy-refused");
        var owner = place.joined(agent, "write");
        var writer = place.joined(ottoKey, "write");
        writer.type("one\n");
        owner.sees("got-one");
        owner.type("two\n");
        writer.sees("got-two");
        assertThat(owner.heard.closed).as("a guest takes nothing over").isNotDone();
        assertThat(place.attached(agent).attachments()).extracting(a -> a.grant() == null ? "own" : "guest").containsExactly("own", "guest");
        writer.socket.sendClose(1000, "").join();
        place.record("\"why\":\"left\"");
        var digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest("one\n".getBytes(StandardCharsets.UTF_8)));
        assertThat(place.records()).contains("\"action\":\"typing\"").contains("\"inputBytes\":4").contains(digest);
        assertThat(as(agent, "DELETE", place.path("/execs/" + place.exec), null).statusCode()).isEqualTo(200);
        owner.heard.closed.get(30, TimeUnit.SECONDS);
        place.record("\"why\":\"exec-ended\"");
        assertThat(place.attached(agent).attachments()).isEmpty();
    }

    @Test
    void aGrantEndsWithItsTimeAQuarantineAndItsSandboxAndAKeyThatIsRevokedEndsWhatItOpened() throws Exception {
        var place = Place.make();
        place.grant(to(viv, null, "read", 2000L));
        var brief = place.joined(vivKey, "read");
        assertThat(brief.heard.closed.get(30, TimeUnit.SECONDS)).startsWith("4403").contains("time");
        problem(as(vivKey, "GET", place.terminal("read"), null), 403, "policy-refused");
        place.record("\"why\":\"expired\"");
        var made = server.post("/v1/keys", new CreateKey("lost", null, List.of("read"), viv.id()), NewKey.class);
        place.grant(to(viv, null, "read", null));
        var lost = place.joined(made.value(), "read");
        var held = place.joined(vivKey, "read");
        assertThat(server.delete("/v1/keys/" + made.key().id()).statusCode()).isEqualTo(204);
        assertThat(lost.heard.closed.get(30, TimeUnit.SECONDS)).startsWith("4401");
        place.record("\"why\":\"unauthenticated\"");
        assertThat(server.post(place.path("/quarantine"), Map.of()).statusCode()).isEqualTo(200);
        assertThat(held.heard.closed.get(30, TimeUnit.SECONDS)).startsWith("4403").contains("quarantine");
        assertThat(problem(as(vivKey, "GET", place.terminal("read"), null), 403, "policy-refused").details()).containsEntry("reason", "quarantine");
        assertThat(server.delete("/v1/sandboxes/" + place.box).statusCode()).isEqualTo(200);
        assertThat(place.attached(agent)).isEqualTo(new Attached(List.of(), List.of()));
        problem(as(agent, "POST", place.path("/attach/grants"), to(viv, null, "read", null)), 410, "sandbox-ended");
    }

    @Test
    void grantsStandOverARestartAndWhoWasThereIsRecordedAsGone() throws Exception {
        var place = Place.make();
        var grant = place.grant(to(viv, null, "read", null));
        var before = place.joined(vivKey, "read");
        Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(place.attached(agent).attachments()).hasSize(1));
        server.restart();
        before.heard.closed.get(30, TimeUnit.SECONDS);
        var now = place.attached(agent);
        assertThat(now.attachments()).isEmpty();
        assertThat(now.grants()).extracting(AttachGrant::id).containsExactly(grant.id());
        assertThat(place.records()).containsOnlyOnce("\"action\":\"detached\"");
        var after = place.joined(vivKey, "read");
        place.type("back\n");
        after.sees("got-back");
        after.socket.sendClose(1000, "").join();
        place.record("\"why\":\"left\"");
    }
}
