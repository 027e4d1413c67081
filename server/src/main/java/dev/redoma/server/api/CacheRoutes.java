// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Caches;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Cache;
import java.util.List;

/// Caches of package tools.
final class CacheRoutes {
    private final Caches caches;

    CacheRoutes(Caches caches) {
        this.caches = caches;
    }

    /// Answer of `DELETE /v1/caches`.
    public record Cleared(int cleared) {}

    List<Operation> operations() {
        return List.of(
                get("/v1/caches", "listCaches", "Caches of the caller's tenant").needs(Scope.READ).answersItems(Cache.class)
                        .by(c -> c.json(new Items<>(caches.list(c.caller())))),
                post("/v1/sandboxes/{id}/caches/{name}/promote", "promoteCache", "Makes a sandbox's copy the cache that later sandboxes get copies of")
                        .needs(Scope.OPERATE).answers(201, Cache.class).by(c -> c.http().json(201, caches.promote(c.caller(), c.sandbox(), c.parameter("name")))),
                delete("/v1/caches", "clearCaches", "Removes caches of the caller's tenant; copies that sandboxes have stay").needs(Scope.CREATE)
                        .query("template", "string", "only of this template").query("name", "string", "only of this tool").answers(200, Cleared.class)
                        .by(c -> c.json(new Cleared(caches.clear(c.caller(), c.query().get("template"), c.query().get("name"))))));
    }
}
