// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.http.Json;
import dev.redoma.model.wire.ChangeUser;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.CreateUser;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.NewKey;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.User;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeopleTest {
    @TempDir Path dir;
    FakeServed s;

    @BeforeEach
    void serve() throws Exception {
        s = new FakeServed(dir);
    }

    @AfterEach
    void end() {
        s.close();
    }

    private User user(String name, String role) throws Exception {
        return Json.read(s.post("/v1/users", new CreateUser(name, null, role)).body().getBytes(), User.class);
    }

    private HttpResponse<String> make(String by, String user, String... scopes) throws Exception {
        return s.call(by, "POST", "/v1/keys", BodyPublishers.ofByteArray(Json.bytes(new CreateKey("k", null, List.of(scopes), user))), "Content-Type", "application/json");
    }

    private NewKey key(User user, String... scopes) throws Exception {
        return Json.read(make(s.profile.key(), user.id(), scopes).body().getBytes(), NewKey.class);
    }

    private HttpResponse<String> send(String key, String method, String path, Object body) throws Exception {
        return s.call(key, method, path, BodyPublishers.ofByteArray(Json.bytes(body)), "Content-Type", "application/json");
    }

    @Test
    void aRoleBoundsTheKeysOfAPerson() throws Exception {
        var may = Map.of("viewer", List.of("read"), "approver", List.of("read", "approve"), "operator", List.of("read", "create", "exec", "operate"), "admin",
                List.of("read", "create", "exec", "operate", "approve"));
        for (var role : may.entrySet()) {
            var user = user("of " + role.getKey(), role.getKey());
            for (var scope : List.of("read", "create", "exec", "approve", "operate")) {
                var answer = make(s.profile.key(), user.id(), scope);
                assertThat(answer.statusCode()).as(role.getKey() + " " + scope).isEqualTo(role.getValue().contains(scope) ? 201 : 400);
            }
            assertThat(make(s.profile.key(), user.id(), "approve", "exec").statusCode()).isEqualTo(400);
        }
        assertThat(FakeServed.problem(s.post("/v1/users", new CreateUser("x", null, "king"))).details()).containsEntry("field", "role");
        assertThat(FakeServed.problem(s.post("/v1/users", new CreateUser("of viewer", null, "viewer"))).code()).isEqualTo("name-taken");
        assertThat(FakeServed.problem(s.post("/v1/users", new CreateUser("a\u202eb", null, "viewer"))).details()).containsEntry("field", "name");
        assertThat(FakeServed.problem(make(s.profile.key(), "usaaaaaaaaaaaaaaaaaa", "read")).code()).isEqualTo("user-not-found");
    }

    /// A key that tries what it may not, and who comes with none that is good: counted by call, and on record soon after.
    @Test
    void whoIsTurnedAwayAtTheDoorIsOnRecord() throws Exception {
        var vera = user("Vera", "viewer");
        var hers = key(vera, "read");
        for (int i = 0; i < 3; i++) {
            assertThat(send(hers.value(), "POST", "/v1/sandboxes", Map.of()).statusCode()).isEqualTo(403);
            assertThat(send("e2b_" + "0".repeat(40), "GET", "/v1/keys", Map.of()).statusCode()).isEqualTo(401);
        }
        assertThat(send(hers.value(), "GET", "/v1/keys", Map.of()).statusCode()).isEqualTo(403);
        org.awaitility.Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> {
            var told = new java.util.TreeMap<String, Long>();
            tools.jackson.databind.json.JsonMapper.shared().readTree(s.call(s.profile.key(), "GET", "/v1/audit?category=admin&newest=100", BodyPublishers.noBody()).body()).get("items").forEach(r -> {
                if (r.get("action").asString().equals("denied")) {
                    var facts = r.get("fields");
                    var what = r.get("actor").asString() + " " + facts.path("person").asString("-") + " " + facts.get("code").asString() + " " + facts.path("operation").asString(facts.path("from").asString("")) + " " + facts.path("scope").asString("-");
                    told.merge(what, facts.get("count").asLong(), Long::sum);
                }
            });
            var her = hers.key().id() + " " + vera.id() + " forbidden ";
            assertThat(told).containsOnly(Map.entry(her + "POST /v1/sandboxes create", 3L), Map.entry(her + "GET /v1/keys operate", 1L), Map.entry("server - unauthenticated loopback -", 3L));
        });
    }

    @Test
    void anOperatorWhoIsNoAdminSpeaksForNobodyElse() throws Exception {
        var olga = user("Olga", "operator");
        var alice = user("Alice", "approver");
        var theirs = key(olga, "operate").value();
        var hers = key(alice, "read", "approve");
        assertThat(send(theirs, "GET", "/v1/users", Map.of()).statusCode()).isEqualTo(200);
        for (var answer : List.of(make(theirs, alice.id(), "read", "approve"), make(theirs, null, "operate"), make(theirs, null, "approve"),
                send(theirs, "POST", "/v1/users", new CreateUser("Zoe", null, "approver")), send(theirs, "PUT", "/v1/users/" + olga.id() + "/role", new ChangeUser("admin")),
                send(theirs, "DELETE", "/v1/users/" + alice.id(), Map.of()), send(theirs, "POST", "/v1/keys/" + hers.key().id() + "/rotate", Map.of()),
                send(theirs, "DELETE", "/v1/keys/" + hers.key().id(), Map.of()), send(theirs, "DELETE", "/v1/keys/" + installations(), Map.of()))) {
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(FakeServed.problem(answer).details()).containsEntry("role", "admin");
        }
        assertThat(make(theirs, olga.id(), "read", "exec").statusCode()).isEqualTo(201);
        var programs = Json.read(make(theirs, null, "read", "exec").body().getBytes(), NewKey.class).key();
        assertThat(programs.user()).isNull();
        assertThat(programs.issuedBy()).isEqualTo(Json.read(s.get("/v1/keys").body().getBytes(), Keys.class).items().stream().filter(k -> olga.id().equals(k.user())).findFirst().orElseThrow().id());
        assertThat(s.call(theirs, "POST", "/api-keys", BodyPublishers.ofString("{\"name\":\"sdk\"}"), "Content-Type", "application/json").statusCode()).isEqualTo(201);
        assertThat(Json.read(s.get("/v1/keys").body().getBytes(), Keys.class).items()).anyMatch(k -> k.name().equals("sdk") && olga.id().equals(k.user()));
        assertThat(send(hers.value(), "GET", "/v1/users", Map.of()).statusCode()).isEqualTo(403);
    }

    /// The key of whoever started the server.
    private String installations() throws Exception {
        return Json.read(s.get("/v1/keys").body().getBytes(), Keys.class).items().stream().filter(k -> k.user() == null && k.scopes().contains("operate")).findFirst().orElseThrow().id();
    }

    public record Keys(List<dev.redoma.model.wire.Key> items) {}

    @Test
    void aKeyThatOperatesDoesNotApproveByThat() {
        var operator = new dev.redoma.model.Caller("k", dev.redoma.model.TenantId.DEFAULT, java.util.Set.of(dev.redoma.model.Scope.OPERATE));
        operator.need(dev.redoma.model.Scope.EXEC);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> operator.need(dev.redoma.model.Scope.APPROVE)).hasMessageContaining("'approve'");
    }

    @Test
    void anotherRoleHoldsAtOnceAndADisabledPersonHasNoKeys() throws Exception {
        var olga = user("Olga", "operator");
        var wide = key(olga, "read", "create", "exec");
        var other = key(olga, "operate");
        assertThat(send(wide.value(), "POST", "/v1/sandboxes", Map.of()).statusCode()).isEqualTo(201);
        assertThat(send(s.profile.key(), "PUT", "/v1/users/" + olga.id() + "/role", new ChangeUser("viewer")).statusCode()).isEqualTo(200);
        assertThat(send(wide.value(), "POST", "/v1/sandboxes", Map.of()).statusCode()).isEqualTo(403);
        assertThat(s.call(wide.value(), "GET", "/v1/sandboxes", BodyPublishers.noBody()).statusCode()).isEqualTo(200);
        assertThat(s.call(other.value(), "GET", "/v1/keys", BodyPublishers.noBody()).statusCode()).isEqualTo(403);
        assertThat(s.call(s.profile.key(), "DELETE", "/v1/users/" + olga.id(), BodyPublishers.noBody()).statusCode()).isEqualTo(200);
        for (var key : List.of(wide, other)) {
            assertThat(s.call(key.value(), "GET", "/v1", BodyPublishers.noBody()).statusCode()).isEqualTo(401);
        }
        assertThat(make(s.profile.key(), olga.id(), "read").statusCode()).isEqualTo(404);
        assertThat(s.call(s.profile.key(), "DELETE", "/v1/users/" + olga.id(), BodyPublishers.noBody()).statusCode()).isEqualTo(404);
        assertThat(user("Olga", "viewer").id()).isNotEqualTo(olga.id());
        s.close();
        s = new FakeServed(dir);
        assertThat(s.call(wide.value(), "GET", "/v1", BodyPublishers.noBody()).statusCode()).isEqualTo(401);
    }

    @Test
    void aRotatedKeyKeepsItsIdAndEndsWhatIsOpen() throws Exception {
        var olga = user("Olga", "operator");
        var made = key(olga, "read", "create", "exec");
        var sandbox = Json.read(send(made.value(), "POST", "/v1/sandboxes", Map.of()).body().getBytes(), Sandbox.class).id();
        var exec = Json.read(send(made.value(), "POST", "/v1/sandboxes/" + sandbox + "/execs", Map.of("argv", List.of("sleep"))).body().getBytes(), Exec.class).id();
        var output = s.client.sendAsync(s.request(made.value(), "/v1/sandboxes/" + sandbox + "/execs/" + exec + "/output").header("Accept", "application/vnd.redoma.output").build(),
                BodyHandlers.ofInputStream()).get(30, TimeUnit.SECONDS);
        assertThat(output.statusCode()).isEqualTo(200);
        var answer = s.call(made.value(), "POST", "/v1/keys/" + made.key().id() + "/rotate", BodyPublishers.noBody());
        var fresh = Json.read(answer.body().getBytes(), NewKey.class);
        assertThat(fresh.key().id()).isEqualTo(made.key().id());
        assertThat(fresh.key().rotatedAt()).isNotNull();
        var frames = ApiTest.frames(java.util.concurrent.CompletableFuture.supplyAsync(() -> TenancyTest.whole(output.body())).get(10, TimeUnit.SECONDS));
        assertThat(new String(frames.getLast().payload())).contains("unauthenticated");
        assertThat(s.call(made.value(), "GET", "/v1", BodyPublishers.noBody()).statusCode()).isEqualTo(401);
        assertThat(s.call(fresh.value(), "GET", "/v1/sandboxes/" + sandbox, BodyPublishers.noBody()).statusCode()).isEqualTo(200);
        var stranger = s.key("acme", "read");
        assertThat(s.call(stranger.value(), "POST", "/v1/keys/" + made.key().id() + "/rotate", BodyPublishers.noBody()).statusCode()).isEqualTo(404);
        s.close();
        s = new FakeServed(dir);
        assertThat(s.call(made.value(), "GET", "/v1", BodyPublishers.noBody()).statusCode()).isEqualTo(401);
        assertThat(s.call(fresh.value(), "GET", "/v1", BodyPublishers.noBody()).statusCode()).isEqualTo(200);
        s.call(s.profile.key(), "DELETE", "/v1/keys/" + made.key().id(), BodyPublishers.noBody());
        assertThat(s.call(s.profile.key(), "POST", "/v1/keys/" + made.key().id() + "/rotate", BodyPublishers.noBody()).statusCode()).isEqualTo(404);
    }

    @Test
    void recordsNameThePersonBesideTheKey() throws Exception {
        var ada = user("Ada", "admin");
        var hers = key(ada, "operate");
        var made = Json.read(make(hers.value(), null, "read").body().getBytes(), NewKey.class);
        var records = s.store.read(tx -> dev.redoma.store.Sql.list(tx, rs -> rs.getString("body"), "SELECT body FROM record WHERE action = 'key-created' ORDER BY seq"));
        assertThat(records.getLast()).contains(made.key().id()).contains("\"person\":\"" + ada.id() + "\"").contains(hers.key().id());
        assertThat(records.getFirst()).doesNotContain("\"person\"");
    }

}
