// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redoma.model.wire.ExposePort;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// What policies and floors let be exposed. The server's floor names ports 3000 to 3999 for anybody, and those of E2B's clients with them.
@Timeout(300)
class PreviewPolicyTest {
    @TempDir
    private static Path dir;

    private static RealServer server;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(PerlApp.offered(), "no perl or ldd on this host");
        var floor = dir.resolve("floor.yaml");
        Files.writeString(floor, "preview:\n  - {ports: 3000-3999, audience: public, ttl: 8h}\n");
        server = RealServer.start(Map.of("REDOMA_POLICY_FLOOR", floor.toString()));
        PerlApp.template(server);
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private static JsonNode refused(PerlApp app, int port, String audience, Long ttlMs) throws Exception {
        HttpResponse<String> answer = server.post("/v1/sandboxes/" + app.sandbox + "/exposures", new ExposePort(port, audience, ttlMs));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
        var body = EnvdClient.JSON.readTree(answer.body());
        assertThat(body.get("code").stringValue()).isEqualTo("policy-refused");
        return body.get("details");
    }

    @Test
    void whatEachLayerAllowsMayBeExposedAndTheOneThatDoesNotIsNamed() throws Exception {
        var app = PerlApp.start(server, "preview: [{port: 3000, audience: public, ttl: 30m}, {port: 3001, audience: tenant}]\n");
        var anybody = app.expose("public", null);
        assertThat(java.time.Duration.between(anybody.createdAt(), anybody.expiresAt())).as("an hour would be more than is allowed").isEqualTo(java.time.Duration.ofMinutes(30));
        assertThat(app.get("/page", null).statusCode()).isEqualTo(200);
        assertThat(refused(app, 3000, "public", 3_600_000L).get("field").stringValue()).isEqualTo("ttlMs");
        assertThat(refused(app, 3001, "token", null).get("rule").stringValue()).isEqualTo("request.preview[1]");
        assertThat(refused(app, 3002, "token", null).get("layer").stringValue()).isEqualTo("request");
        assertThat(app.expose(3001, "tenant", null).audience()).isEqualTo("tenant");
        var silent = PerlApp.start(server, null);
        assertThat(refused(silent, 4000, "token", null).get("layer").stringValue()).isEqualTo("floor");
        assertThat(refused(silent, 3000, "public", null).get("layer").stringValue()).as("one that says nothing names nobody").isEqualTo("request");
        assertThat(silent.expose("token", null).audience()).isEqualTo("token");
    }

    @Test
    void aRuleOfWhichTheFloorLeavesNothingIsRefusedWhereItStands() throws Exception {
        var answer = server.send("POST", "/v1/sandboxes", BodyPublishers.ofString("{\"template\":\"app\",\"policy\":\"preview:\\n  - {port: 3000}\\n  - {port: 9000}\\n\"}"), "Content-Type", "application/json");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
        var details = EnvdClient.JSON.readTree(answer.body()).get("details");
        assertThat(details.get("rule").stringValue()).isEqualTo("request.preview[1]");
        assertThat(details.get("line").intValue()).isEqualTo(3);
    }

    @Test
    void aPolicyThatNoLongerAllowsItEndsItAndWhoeverIsThere() throws Exception {
        var app = PerlApp.start(server, "preview: [{port: 3000, audience: public}]\n");
        var anybody = app.expose("public", null);
        var holders = app.expose("token", null);
        var events = server.client().send(app.to("/events", null).GET().build(), BodyHandlers.ofInputStream());
        events.body().readNBytes(9);
        var changed = server.send("PUT", "/v1/sandboxes/" + app.sandbox + "/policy", BodyPublishers.ofString("{\"policy\":\"preview: [{port: 3000, audience: token}]\\n\"}"), "Content-Type", "application/json");
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> events.body().transferTo(java.io.OutputStream.nullOutputStream())).isInstanceOf(java.io.IOException.class);
        assertThat(app.get("/page", null).statusCode()).isEqualTo(401);
        assertThat(app.get("/page", holders.token()).statusCode()).isEqualTo(200);
        var told = server.get("/v1/audit?category=preview&sandbox=" + app.sandbox).body();
        assertThat(told).contains("\"ended\"").contains("\"reason\":\"policy\"").contains(anybody.id());
    }

    @Test
    void whatAPolicyLetsBeExposedIsExplained() throws Exception {
        var told = server.send("POST", "/v1/policies/explain", BodyPublishers.ofString("{\"policy\":\"preview: [{ports: [3000, 3100-3200], audience: tenant, ttl: 1h}, {port: 3999, audience: public}, {ports: 3990-4100}]\\n\"}"), "Content-Type", "application/json");
        assertThat(told.statusCode()).as(told.body()).isEqualTo(200);
        assertThat(told.body()).contains("request.preview[0]").contains("3000, 3100-3200").contains("1h 0m").contains("floor.preview[0]");
        var lines = EnvdClient.JSON.readTree(told.body()).get("lines");
        lines.forEach(line -> assertThat(line.get("effect").stringValue()).as(line.toString())
                .isEqualTo(line.get("rule").stringValue().equals("request.preview[0]") ? "whole" : "narrowed"));
    }

    @Test
    void portsOfE2bsClientsAreOpenAsFarAsTheFloorLeavesThem() throws Exception {
        var box = EnvdClient.create(server, "{\"templateID\":\"app\",\"timeout\":600}");
        PerlApp.of(server, box.sandbox).listening(PerlApp.PORT).listening(4000);
        assertThat(box.send(box.to(3000, "/page").GET()).statusCode()).isEqualTo(200);
        assertThat(box.send(box.to(4000, "/page").GET()).statusCode()).isEqualTo(403);
    }
}
