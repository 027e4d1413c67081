// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.http.Route;
import java.util.ArrayList;
import java.util.List;

/// What this server does not have: 501 that says what.
final class OtherCalls {
    private final Endpoints on;

    OtherCalls(Endpoints on) {
        this.on = on;
    }

    List<Route> routes() {
        var routes = new ArrayList<Route>();
        absent(routes, "/secrets", "secrets", "there is no store of secrets yet");
        absent(routes, "/secrets/{secret}", "secrets", "there is no store of secrets yet");
        absent(routes, "/events/webhooks", "webhooks", "events are not delivered yet");
        absent(routes, "/events/webhooks/{webhook}", "webhooks", "events are not delivered yet");
        absent(routes, "/access-tokens", "accessTokens", "there are none but keys: redoma keys");
        absent(routes, "/access-tokens/{token}", "accessTokens", "there are none but keys: redoma keys");
        absent(routes, "/teams/{team}/metrics", "metrics", "no history of measurements is kept; GET /metrics has those of now");
        absent(routes, "/teams/{team}/metrics/max", "metrics", "no history of measurements is kept; GET /metrics has those of now");
        return routes;
    }

    private void absent(List<Route> routes, String path, String field, String why) {
        Endpoints.Action refuse = c -> {
            throw Egress.notOffered(field, why + ".", "See docs/protocols/e2b.md.");
        };
        routes.add(on.get(path, null, refuse));
        routes.add(on.post(path, null, refuse));
        routes.add(on.put(path, null, refuse));
        routes.add(on.patch(path, null, refuse));
        routes.add(on.delete(path, null, refuse));
    }
}
