// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.get;

import dev.redoma.model.Scope;
import dev.redoma.model.wire.Finding;
import dev.redoma.model.wire.ServerInfo;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// About the server itself.
public final class ServerRoutes {
    private final About about;

    ServerRoutes(About about) {
        this.about = about;
    }

    /// What the server says about itself. `metrics` in Prometheus' text form.
    public record About(Supplier<ServerInfo> info, Supplier<List<Finding>> doctor, Supplier<String> metrics) {}

    /// Answer of `GET /health`.
    public record Health(String status) {}

    /// Answer of `GET /v1/doctor`.
    public record Findings(List<Finding> findings) {}

    List<Operation> operations(Supplier<Map<String, Object>> openApi) {
        return List.of(
                get("/health", "getHealth", "ok while it serves").withoutKey().answers(200, Health.class).by(c -> c.json(new Health("ok"))),
                get("/v1", "getServer", "What this server is and what it allows").answers(200, ServerInfo.class).by(c -> c.json(about.info().get())),
                get("/v1/doctor", "getDoctor", "What was tried on this host and what is missing").needs(Scope.OPERATE).answers(200, Findings.class)
                        .by(c -> c.json(new Findings(about.doctor().get()))),
                get("/v1/openapi.json", "getOpenApi", "This description").withoutKey().answersBytes(200, "application/json")
                        .by(c -> c.json(openApi.get())),
                get("/metrics", "getMetrics", "Counts for Prometheus").needs(Scope.OPERATE).answersBytes(200, "text/plain").by(
                        c -> c.http().bytes(200, "text/plain; version=0.0.4; charset=utf-8", about.metrics().get().getBytes(java.nio.charset.StandardCharsets.UTF_8))));
    }
}
