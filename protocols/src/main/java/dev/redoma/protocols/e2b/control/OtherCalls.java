// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.http.Route;
import dev.redoma.model.Caller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The team that a key belongs to, and what this server does not have: 501 that says what.
final class OtherCalls {
    private final Endpoints on;

    OtherCalls(Endpoints on) {
        this.on = on;
    }

    public record Team(String teamID, String name, @Nullable String apiKey, boolean isDefault) {}

    List<Route> routes() {
        var routes = new ArrayList<Route>();
        routes.add(on.get("/teams", null, this::teams));
        absent(routes, "/secrets", "secrets", "there is no store of secrets yet");
        absent(routes, "/secrets/{secret}", "secrets", "there is no store of secrets yet");
        absent(routes, "/events/sandboxes", "events", "events are read from the audit: GET /v1/audit");
        absent(routes, "/events/sandboxes/{id}", "events", "events are read from the audit: GET /v1/audit");
        absent(routes, "/events/webhooks", "webhooks", "events are not delivered yet");
        absent(routes, "/events/webhooks/{webhook}", "webhooks", "events are not delivered yet");
        absent(routes, "/api-keys", "apiKeys", "keys are an operator's: redoma keys");
        absent(routes, "/access-tokens", "accessTokens", "there are none but keys: redoma keys");
        return routes;
    }

    private void absent(List<Route> routes, String path, String field, String why) {
        Endpoints.Action refuse = c -> {
            throw Egress.notOffered(field, why + ".", "See docs/protocols/e2b.md.");
        };
        routes.add(on.get(path, null, refuse));
        routes.add(on.post(path, null, refuse));
        routes.add(on.patch(path, null, refuse));
        routes.add(on.delete(path, null, refuse));
    }

    /// A tenant is a team; the key is the one that asks.
    private void teams(Asked c) throws IOException {
        Caller caller = c.caller();
        var bearer = c.http().header("Authorization");
        var key = bearer != null && bearer.startsWith("Bearer ") ? bearer.substring(7).strip() : c.http().header("X-API-Key");
        c.http().set("Cache-Control", "no-store").json(200, List.of(new Team(caller.tenant().value(), caller.tenant().value(), key, true)));
    }
}
