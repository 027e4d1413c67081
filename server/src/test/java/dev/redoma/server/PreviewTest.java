// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.NewKey;
import dev.redoma.model.wire.Sandbox;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// Ports that are exposed: who comes in, until when, and what is said to the others. A real app in a real sandbox, over the wire.
@Timeout(300)
class PreviewTest {
    /// How soon after a revocation was answered its connections are closed. It is before; this is for the machine.
    private static final Duration AT_ONCE = Duration.ofSeconds(2);

    private static RealServer server;
    private static PerlApp app;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(PerlApp.offered(), "no perl or ldd on this host");
        server = RealServer.start(Map.of());
        PerlApp.template(server);
        app = PerlApp.start(server, null);
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private static JsonNode refused(HttpResponse<String> answer, int status, String type) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        var body = EnvdClient.JSON.readTree(answer.body());
        assertThat(body.get("type").stringValue()).isEqualTo("urn:redoma:problem:" + type);
        assertThat(body.get("code").intValue()).isEqualTo(status);
        return body;
    }

    private static String problem(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return EnvdClient.JSON.readTree(answer.body()).get("code").stringValue();
    }

    @Test
    void pv05_aPortIsClosedUntilItIsExposedAndThenOpensToWhoHasTheToken() throws Exception {
        var box = PerlApp.start(server, null);
        refused(box.get("/echo", null), 403, "port-not-exposed");
        var exposed = box.expose(null, null);
        assertThat(exposed.audience()).isEqualTo("token");
        assertThat(exposed.token()).matches("rpt1\\." + exposed.id() + "\\." + box.sandbox + "\\.3000\\.token\\.[0-9]+\\.[A-Za-z0-9_-]{43}");
        assertThat(Duration.between(exposed.createdAt(), exposed.expiresAt())).isEqualTo(Duration.ofHours(1));
        refused(box.get("/echo", null), 401, "unauthenticated");
        refused(box.get("/echo", exposed.token() + "A"), 401, "unauthenticated");
        var in = box.get("/echo", exposed.token());
        assertThat(in.statusCode()).as(in.body()).isEqualTo(200);
        assertThat(in.body()).doesNotContain("rpt1").doesNotContainIgnoringCase("redoma");
        assertThat(box.raw("GET /echo", "Redoma-Preview-Token: " + exposed.token())).startsWith("HTTP/1.1 200");
        refused(box.send(box.to(4000, "/").header("Redoma-Preview-Token", exposed.token()).GET()), 403, "port-not-exposed");
        box.revoke(exposed);
        refused(box.get("/echo", exposed.token()), 403, "port-not-exposed");
    }

    @Test
    void whatIsRevokedIsClosedAtOnceForThoseWhoAreThere() throws Exception {
        var exposed = app.expose(null, null);
        var other = app.expose(null, null);
        var events = server.client().send(app.to("/events", exposed.token()).GET().build(), BodyHandlers.ofInputStream());
        var flood = server.client().send(app.to("/flood", exposed.token()).GET().build(), BodyHandlers.ofInputStream());
        var silent = server.client().sendAsync(app.to("/silent", exposed.token()).GET().build(), BodyHandlers.ofString());
        var stays = server.client().send(app.to("/events", other.token()).GET().build(), BodyHandlers.ofInputStream());
        assertThat(new String(events.body().readNBytes(9), StandardCharsets.UTF_8)).isEqualTo("data: 0\n\n");
        assertThat(flood.body().readNBytes(1 << 20)).hasSize(1 << 20); // and then nobody reads: the router waits for the client
        var ended = CompletableFuture.supplyAsync(() -> untilTheEnd(events));
        app.revoke(exposed);
        long revoked = System.nanoTime();
        ended.get(60, TimeUnit.SECONDS);
        refused(silent.get(60, TimeUnit.SECONDS), 403, "port-not-exposed");
        assertThat(Duration.ofNanos(System.nanoTime() - revoked)).isLessThan(AT_ONCE);
        assertThat(untilTheEnd(flood)).as("what was on its way to a client that did not read").isLessThan(8 << 20);
        assertThat(stays.body().readNBytes(100)).as("another exposure of the same port").hasSize(100);
        stays.body().close();
        app.revoke(other);
    }

    @Test
    void whoCameByAKeyIsThereAsLongAsItStands() throws Exception {
        var exposed = app.expose("tenant", null);
        var gone = server.post("/v1/keys", Map.of("name", "gone", "scopes", List.of("read")), NewKey.class);
        var stays = server.post("/v1/keys", Map.of("name", "stays", "scopes", List.of("read")), NewKey.class);
        var events = server.client().send(app.to("/events", null).header("X-API-Key", gone.value()).GET().build(), BodyHandlers.ofInputStream());
        var others = server.client().send(app.to("/events", null).header("X-API-Key", stays.value()).GET().build(), BodyHandlers.ofInputStream());
        assertThat(new String(events.body().readNBytes(9), StandardCharsets.UTF_8)).isEqualTo("data: 0\n\n");
        var ended = CompletableFuture.supplyAsync(() -> untilTheEnd(events));
        assertThat(server.delete("/v1/keys/" + gone.key().id()).statusCode()).isEqualTo(204);
        long revoked = System.nanoTime();
        ended.get(60, TimeUnit.SECONDS);
        assertThat(Duration.ofNanos(System.nanoTime() - revoked)).isLessThan(Duration.ofSeconds(3));
        assertThat(others.body().readNBytes(100)).as("by another key").hasSize(100);
        others.body().close();
        app.revoke(exposed);
    }

    /// How much still came before it was broken off, which it must be.
    private static long untilTheEnd(HttpResponse<java.io.InputStream> answer) {
        long all = 0;
        try (var in = answer.body()) {
            for (int n; (n = in.read(new byte[65_536])) >= 0; ) {
                all += n;
            }
        } catch (java.io.IOException broken) {
            return all;
        }
        throw new AssertionError("it looks whole");
    }

    @Test
    void visitsAndWhoWasNotLetInAreOnRecord() throws Exception {
        var exposed = app.expose(null, null);
        assertThat(app.get("/echo", exposed.token()).statusCode()).isEqualTo(200);
        var records = "/v1/audit?category=preview&newest=1000&sandbox=" + app.sandbox;
        assertThat(server.get(records).body()).as("before the app saw it").containsPattern("\"action\":\"visit\",\"fields\":\\{[^}]*\"exposure\":\"" + exposed.id());
        for (int i = 0; i < 3; i++) {
            refused(app.get("/echo", exposed.token() + "B"), 401, "unauthenticated");
        }
        Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            var told = server.get(records).body();
            assertThat(told).containsPattern("\"action\":\"refused\"[^}]*\"reason\":\"unauthenticated\"").contains("\"address\":\"127.0.0.1\"").doesNotContain("rpt1");
        });
        app.revoke(exposed);
    }

    @Test
    void pv03_eachRefusalHasItsOwnKind() throws Exception {
        var box = PerlApp.start(server, null);
        var body = refused(PerlApp.of(server, "sb000000000000000000").get("/echo", null), 502, "sandbox-not-found");
        assertThat(body.get("message").stringValue()).isEqualTo("The sandbox was not found");
        refused(box.get("/echo", null), 403, "port-not-exposed");
        var held = box.expose(null, null);
        var nothing = box.expose(5000, null, null);
        refused(box.send(box.to(5000, "/").header("Redoma-Preview-Token", nothing.token()).GET()), 502, "nothing-listens");
        refused(box.get("/echo", nothing.token()), 403, "wrong-audience");
        var others = app.expose(null, null);
        refused(box.get("/echo", others.token()), 403, "wrong-audience");
        app.revoke(others);
        box.revoke(held);
        var soon = box.expose(null, 1000L);
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> Instant.now().isAfter(soon.expiresAt()));
        refused(box.get("/echo", soon.token()), 403, "exposure-expired");
        refused(box.get("/echo", null), 403, "exposure-expired");
        assertThat(server.get("/v1/sandboxes/" + box.sandbox + "/exposures").body()).contains("\"expired\"").contains("\"open\"").doesNotContain("rpt1");
        server.post("/v1/sandboxes/" + box.sandbox + "/pause", Map.of());
        var paused = refused(box.send(box.to(5000, "/").header("Redoma-Preview-Token", nothing.token()).GET()), 502, "wrong-state");
        assertThat(paused.get("state").stringValue()).isEqualTo("paused");
        refused(box.send(box.to(5000, "/").GET()), 401, "unauthenticated");
    }

    @Test
    void aKeyOfTheTenantOpensWhatIsExposedToTheTenant() throws Exception {
        var box = PerlApp.start(server, null);
        var exposed = box.expose("tenant", null);
        assertThat(exposed.token()).isNull();
        refused(box.get("/echo", null), 401, "unauthenticated");
        var same = server.post("/v1/keys", Map.of("name", "same", "scopes", List.of("read")), NewKey.class);
        var foreign = server.post("/v1/keys", Map.of("name", "foreign", "tenant", "other", "scopes", List.of("read", "exec")), NewKey.class);
        for (var field : List.of("X-API-Key", "Authorization")) {
            var value = field.equals("Authorization") ? "Bearer " : "";
            var in = box.send(box.to("/echo", null).header(field, value + same.value()).GET());
            assertThat(in.statusCode()).as(in.body()).isEqualTo(200);
            assertThat(in.body()).doesNotContain("e2b_");
            refused(box.send(box.to("/echo", null).header(field, value + foreign.value()).GET()), 403, "wrong-audience");
            refused(box.send(box.to("/echo", null).header(field, value + "e2b_" + "0".repeat(40)).GET()), 401, "unauthenticated");
        }
        assertThat(box.send(box.to("/echo", null).header("X-API-Key", same.value()).header("Authorization", "Bearer of-the-app").GET()).body()).contains("Bearer of-the-app");
    }

    @Test
    void tokensOutliveTheServerAndEndWithTheSandboxAndForksHaveNone() throws Exception {
        var box = PerlApp.start(server, null);
        var exposed = box.expose(null, null);
        assertThat(box.get("/echo", exposed.token()).statusCode()).isEqualTo(200);
        server.restart();
        assertThat(box.get("/echo", exposed.token()).statusCode()).isEqualTo(200);
        var fork = PerlApp.of(server, server.post("/v1/sandboxes/" + box.sandbox + "/fork", new ForkSandbox(null, null, null), Sandbox.class).id()).listening(PerlApp.PORT);
        refused(fork.get("/echo", null), 403, "port-not-exposed");
        refused(fork.get("/echo", exposed.token()), 403, "port-not-exposed");
        assertThat(server.get("/v1/sandboxes/" + fork.sandbox + "/exposures").body()).isEqualTo("{\"items\":[]}");
        assertThat(server.delete("/v1/sandboxes/" + box.sandbox).statusCode()).isEqualTo(200);
        refused(box.get("/echo", exposed.token()), 502, "sandbox-not-found");
        assertThat(server.get("/v1/sandboxes/" + box.sandbox + "/exposures").body()).isEqualTo("{\"items\":[]}");
        var told = server.get("/v1/audit?category=preview&sandbox=" + box.sandbox).body();
        assertThat(told).contains("\"expose\"").contains(exposed.id()).doesNotContain("rpt1");
    }

    @Test
    void tryingTokensIsLimited() throws Exception {
        var exposed = app.expose(null, null);
        var forged = exposed.token().substring(0, exposed.token().length() - 43) + "A".repeat(43);
        int limited = 0;
        for (int i = 0; i < 60; i++) {
            var answer = app.get("/echo", forged);
            assertThat(answer.statusCode()).isIn(401, 429);
            limited += answer.statusCode() == 429 ? 1 : 0;
        }
        assertThat(limited).as("of 60").isGreaterThan(10);
        for (int i = 0; i < 5; i++) {
            app.get("/echo", forged);
            assertThat(app.get("/echo", exposed.token()).statusCode()).as("a good one from the same address").isEqualTo(200);
        }
        app.revoke(exposed);
    }

    @Test
    void onlyWhoMayChangeASandboxExposesItsPorts() throws Exception {
        var reader = server.post("/v1/keys", Map.of("name", "reader", "scopes", List.of("read")), NewKey.class);
        var foreign = server.post("/v1/keys", Map.of("name", "foreign", "tenant", "other", "scopes", List.of("read", "create")), NewKey.class);
        var path = "/v1/sandboxes/" + app.sandbox + "/exposures";
        for (var by : Map.of(reader, 403, foreign, 404).entrySet()) {
            var answer = server.client().send(server.request(path).setHeader("Authorization", "Bearer " + by.getKey().value()).header("Content-Type", "application/json")
                    .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{\"port\":3000}")).build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(by.getValue());
        }
        assertThat(problem(server.post(path, new ExposePort(0, null, null)), 400)).isEqualTo("invalid-field");
        assertThat(problem(server.post(path, new ExposePort(3000, "everybody", null)), 400)).isEqualTo("invalid-field");
        assertThat(problem(server.post(path, new ExposePort(3000, null, 999L)), 400)).isEqualTo("invalid-field");
        assertThat(problem(server.post(path, new ExposePort(3000, "public", null)), 403)).isEqualTo("policy-refused");
        assertThat(problem(server.delete(path + "/pv000000000000000000"), 404)).isEqualTo("exposure-not-found");
    }
}
