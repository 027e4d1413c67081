// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.http.Json;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.server.api.Operation;
import dev.redoma.server.config.Config;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TenancyTest {
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

    /// A body that each operation takes.
    private static final Map<String, String> BODIES = new java.util.HashMap<>(Map.of(
            "setLifetime", "{\"lifetimeMs\":1000}", "startExec", "{\"argv\":[\"echo\",\"x\"]}", "resizeExec", "{\"cols\":80,\"rows\":24}",
            "signalExec", "{\"signal\":15}", "makeDirectory", "{\"path\":\"/x\"}", "moveFile", "{\"from\":\"/x\",\"to\":\"/y\"}",
            "setAttributes", "{\"path\":\"/x\"}", "forkSandbox", "{}", "changePolicy", "{\"policy\":\"none\"}", "createSnapshot", "{}"));

    static {
        BODIES.put("redactMore", "{\"values\":{\"A\":\"long-enough\"}}");
        BODIES.put("grantAttach", "{\"person\":\"us" + "a".repeat(18) + "\",\"mode\":\"read\"}");
        BODIES.put("exposePort", "{\"port\":3000}");
        BODIES.put("startWorkspace", "{\"path\":\"/x\"}");
        BODIES.put("collectArtifacts", "{\"patterns\":[\"*.png\"]}");
        BODIES.put("applyChanges", "{\"digest\":\"" + "0".repeat(64) + "\"}");
        BODIES.put("tellApplied", "{\"outcome\":\"applied\"}");
    }

    private java.net.http.HttpResponse<String> send(String key, Operation o, String sandbox, String exec) throws Exception {
        var path = o.path().replace("{id}", sandbox).replace("{exec}", exec).replace("{exposure}", "pvaaaaaaaaaaaaaaaaaa").replace("{name}", "pip").replace("{apply}", "apaaaaaaaaaaaaaaaaaa").replace("{grant}", "agaaaaaaaaaaaaaaaaaa")
                + (o.id().equals("getArtifact") ? "?artifact=x" : "") + (o.path().contains("/files") || o.path().contains("/archive") ? "?path=/x" : "");
        if (o.path().endsWith("/move") || o.path().endsWith("/mkdir") || o.path().endsWith("/attributes") || o.path().endsWith("/changes/archive") || o.path().endsWith("/artifacts/archive")) {
            path = path.replace("?path=/x", "");
        }
        var body = BODIES.containsKey(o.id()) ? BodyPublishers.ofString(BODIES.get(o.id())) : BodyPublishers.noBody();
        return BODIES.containsKey(o.id())
                ? s.call(key, o.method(), path, body, "Content-Type", "application/json")
                : s.call(key, o.method(), path, body);
    }

    @Test
    void anotherTenantsSandboxIsNoDifferentFromARandomIdOnEveryRoute() throws Exception {
        var sandbox = Json.read(s.post("/v1/sandboxes", ApiTest.PLAIN).body().getBytes(), Sandbox.class).id();
        var exec = Json.read(s.post("/v1/sandboxes/" + sandbox + "/execs", ApiTest.exec("sleep")).body().getBytes(), Exec.class).id();
        var other = s.key("acme", "read", "create", "exec").value();
        var routes = s.serving.operations().stream().filter(o -> o.path().startsWith("/v1/sandboxes/{id}")).toList();
        assertThat(routes).hasSizeGreaterThan(25);
        for (var o : routes) {
            var theirs = send(other, o, sandbox, exec);
            var random = send(other, o, "sbaaaaaaaaaaaaaaaaaa", exec);
            if (o.scope() == Scope.OPERATE) {
                assertThat(theirs.statusCode()).as(o.id()).isEqualTo(403);
            } else {
                assertThat(theirs.statusCode()).as(o.id()).isEqualTo(404);
                assertThat(FakeServed.problem(theirs).code()).as(o.id()).isEqualTo("sandbox-not-found");
            }
            assertThat(theirs.body()).as(o.id()).isEqualTo(random.body());
        }
    }

    @Test
    void withoutAKeyNothingIsAnsweredAndNothingIsHtml() throws Exception {
        for (var o : s.serving.operations()) {
            var path = o.path().replaceAll("\\{[a-z]+}", "x");
            var answer = s.client.send(java.net.http.HttpRequest.newBuilder(s.uri(path)).method(o.method(), BodyPublishers.noBody()).build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(o.id()).isEqualTo(o.open() ? 200 : 401);
            assertThat(answer.headers().firstValue("Content-Type").orElse("")).as(o.id()).contains("json");
        }
        assertThat(s.call("e2b_" + "0".repeat(40), "GET", "/v1", BodyPublishers.noBody()).statusCode()).isEqualTo(401);
        assertThat(s.call("x", "GET", "/v1", BodyPublishers.noBody()).headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }

    @Test
    void aTenantsKeyIsForbiddenOnOperatorsRoutes() throws Exception {
        var key = s.key("acme", "read", "create", "exec").value();
        var routes = s.serving.operations().stream().filter(o -> o.scope() == Scope.OPERATE).toList();
        assertThat(routes).hasSizeGreaterThan(8);
        for (var o : routes) {
            assertThat(s.call(key, o.method(), o.path().replaceAll("\\{[a-z]+}", "x"), BodyPublishers.noBody()).statusCode()).as(o.id()).isEqualTo(403);
        }
        assertThat(s.call(key, "GET", "/v1/audit?tenant=default", BodyPublishers.noBody()).statusCode()).isEqualTo(403);
    }

    @Test
    void aKeyDoesWhatItsScopesSay() throws Exception {
        var reader = s.key("acme", "read").value();
        assertThat(s.call(reader, "GET", "/v1/sandboxes", BodyPublishers.noBody()).statusCode()).isEqualTo(200);
        var answer = s.call(reader, "POST", "/v1/sandboxes", BodyPublishers.ofString("{}"), "Content-Type", "application/json");
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(FakeServed.problem(answer).details()).containsEntry("scope", "create");
    }

    @Test
    void anApproverCannotAct() throws Exception {
        for (var scope : List.of("create", "exec", "operate")) {
            var answer = s.post("/v1/keys", new CreateKey("k", null, List.of("approve", scope)));
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(FakeServed.problem(answer).details()).containsEntry("field", "scopes");
        }
        assertThat(s.post("/v1/keys", new CreateKey("k", null, List.of("approve", "read"))).statusCode()).isEqualTo(201);
        assertThat(s.post("/v1/keys", new CreateKey("k", null, List.of("fly"))).statusCode()).isEqualTo(400);
    }

    static byte[] whole(java.io.InputStream body) {
        try (body) {
            return body.readAllBytes();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aRevocationEndsOpenStreams() throws Exception {
        var made = s.key("acme", "read", "create", "exec");
        var key = made.value();
        var sandbox = Json.read(s.call(key, "POST", "/v1/sandboxes", BodyPublishers.ofString("{}"), "Content-Type", "application/json").body().getBytes(), Sandbox.class).id();
        var exec = Json.read(s.call(key, "POST", "/v1/sandboxes/" + sandbox + "/execs", BodyPublishers.ofString("{\"argv\":[\"sleep\"]}"), "Content-Type", "application/json")
                .body().getBytes(), Exec.class).id();
        var output = s.client.sendAsync(s.request(key, "/v1/sandboxes/" + sandbox + "/execs/" + exec + "/output").header("Accept", "application/vnd.redoma.output").build(),
                BodyHandlers.ofInputStream()).get(30, TimeUnit.SECONDS);
        assertThat(output.statusCode()).isEqualTo(200);
        var terminal = new Heard();
        s.client.newWebSocketBuilder().header("Authorization", "Bearer " + key)
                .buildAsync(URI.create(s.uri("/v1/sandboxes/" + sandbox + "/execs/" + exec + "/terminal").toString().replace("http:", "ws:")), terminal).join();
        Thread.sleep(300);
        assertThat(s.call(s.profile.key(), "DELETE", "/v1/keys/" + made.key().id(), BodyPublishers.noBody()).statusCode()).isEqualTo(204);
        var frames = ApiTest.frames(CompletableFuture.supplyAsync(() -> whole(output.body())).get(5, TimeUnit.SECONDS));
        assertThat(frames.getLast().type()).isEqualTo(5);
        assertThat(new String(frames.getLast().payload())).contains("unauthenticated");
        assertThat(terminal.closed.get(5, TimeUnit.SECONDS)).startsWith("4401");
        assertThat(s.call(key, "GET", "/v1", BodyPublishers.noBody()).statusCode()).isEqualTo(401);
    }

    static final class Heard implements WebSocket.Listener {
        final CompletableFuture<String> closed = new CompletableFuture<>();
        final StringBuffer text = new StringBuffer();

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, java.nio.ByteBuffer data, boolean last) {
            text.append(java.nio.charset.StandardCharsets.UTF_8.decode(data));
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            closed.complete(code + " " + reason);
            return null;
        }
    }

    @Test
    void tooManyRequestsAreToldWhenToComeBack(@TempDir Path other) throws Exception {
        try (var slow = new FakeServed(other, Map.of("REDOMA_RATE_PER_SECOND", "1", "REDOMA_RATE_BURST", "3"))) {
            int status = 200;
            java.net.http.HttpResponse<String> last = null;
            for (int i = 0; i < 5 && status == 200; i++) {
                last = slow.get("/v1");
                status = last.statusCode();
            }
            assertThat(status).isEqualTo(429);
            assertThat(last.headers().firstValue("Retry-After")).contains("1");
            assertThat(FakeServed.problem(last).code()).isEqualTo("rate-limited");
        }
    }

    @Test
    void anAddressThatOthersReachMustBeAllowed() {
        assertThatThrownBy(() -> Config.load(dir, dir, null, Map.of(), "0.0.0.0:0")).isInstanceOf(RedomaException.class).hasMessageContaining("other machines");
        assertThat(Config.load(dir, dir, null, Map.of("REDOMA_ALLOW_REMOTE", "true"), "0.0.0.0:0").http().host()).isEqualTo("0.0.0.0");
        assertThat(Config.load(dir, dir, null, Map.of(), "[::1]:80").http().port()).isEqualTo(80);
    }

    @Test
    void keysSurviveARestartAndRevocationsToo(@TempDir Path again) throws Exception {
        String kept;
        String revoked;
        try (var first = new FakeServed(again)) {
            kept = first.key("acme", "read").value();
            var gone = first.key("acme", "read");
            first.call(first.profile.key(), "DELETE", "/v1/keys/" + gone.key().id(), BodyPublishers.noBody());
            revoked = gone.value();
        }
        try (var second = new FakeServed(again)) {
            assertThat(second.call(kept, "GET", "/v1", BodyPublishers.noBody()).statusCode()).isEqualTo(200);
            assertThat(second.call(revoked, "GET", "/v1", BodyPublishers.noBody()).statusCode()).isEqualTo(401);
            assertThat(second.get("/v1/keys").body().split("\"name\":\"operator\"")).hasSize(2);
        }
    }

    @Test
    void aTerminalIsTakenOverAndEndsWithTheExitCode() throws Exception {
        var sandbox = Json.read(s.post("/v1/sandboxes", ApiTest.PLAIN).body().getBytes(), Sandbox.class).id();
        var exec = Json.read(s.post("/v1/sandboxes/" + sandbox + "/execs", ApiTest.exec("cat")).body().getBytes(), Exec.class).id();
        var uri = URI.create(s.uri("/v1/sandboxes/" + sandbox + "/execs/" + exec + "/terminal").toString().replace("http:", "ws:"));
        var first = new Heard();
        s.client.newWebSocketBuilder().header("Authorization", "Bearer " + s.profile.key()).buildAsync(uri, first).join();
        Thread.sleep(200);
        var second = new Heard();
        var ws = s.client.newWebSocketBuilder().header("X-API-Key", s.profile.key()).buildAsync(uri, second).join();
        assertThat(first.closed.get(30, TimeUnit.SECONDS)).startsWith("4001");
        ws.sendText("{\"cols\":0,\"rows\":0}", true).join();
        ws.sendText("{\"cols\":100,\"rows\":30}", true).join();
        ws.sendBinary(java.nio.ByteBuffer.wrap("hi\u0004".getBytes()), true).join();
        assertThat(second.closed.get(30, TimeUnit.SECONDS)).isEqualTo("1000 0");
        assertThat(second.text.toString()).contains("invalid-field").contains("hi");
        assertThat(s.redoma.execs.runs.get(exec).size.cols()).isEqualTo(100);
    }

    @Test
    void aStoppingServerEndsStreamsByName() throws Exception {
        var sandbox = Json.read(s.post("/v1/sandboxes", ApiTest.PLAIN).body().getBytes(), Sandbox.class).id();
        var exec = Json.read(s.post("/v1/sandboxes/" + sandbox + "/execs", ApiTest.exec("sleep")).body().getBytes(), Exec.class).id();
        var output = s.client.sendAsync(s.request(s.profile.key(), "/v1/sandboxes/" + sandbox + "/execs/" + exec + "/output").header("Accept", "application/vnd.redoma.output").build(),
                BodyHandlers.ofInputStream()).get(30, TimeUnit.SECONDS);
        assertThat(output.statusCode()).isEqualTo(200);
        long before = System.nanoTime();
        s.serving.close();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
        var frames = ApiTest.frames(whole(output.body()));
        assertThat(frames.getLast().type()).isEqualTo(5);
        assertThat(new String(frames.getLast().payload())).contains("\"code\":\"stopping\"");
    }
}
