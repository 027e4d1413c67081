// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Redoma;
import dev.redoma.http.Route;
import dev.redoma.protocols.e2b.Door;
import dev.redoma.protocols.e2b.SandboxTokens;
import java.util.ArrayList;
import java.util.List;

/// The routes of E2B's control plane.
public final class ControlPlane {
    private ControlPlane() {}

    public static List<Route> routes(Redoma redoma, Door door, SandboxTokens tokens, Settings settings) {
        var on = new Endpoints(door);
        var answers = new Answers(tokens, settings.domain());
        var routes = new ArrayList<Route>();
        routes.addAll(new SandboxCalls(on, door, redoma.sandboxes(), answers, new Orders(settings)).routes());
        return routes;
    }
}
