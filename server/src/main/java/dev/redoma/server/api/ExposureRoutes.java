// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Exposures;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.Exposure;
import java.io.IOException;
import java.util.List;

/// Ports of sandboxes that are let be reached.
final class ExposureRoutes {
    private static final String ALL = "/v1/sandboxes/{id}/exposures";

    private final Exposures exposures;
    private final PreviewAddresses addresses;

    ExposureRoutes(Exposures exposures, PreviewAddresses addresses) {
        this.exposures = exposures;
        this.addresses = addresses;
    }

    /// Answer of `DELETE …/exposures`.
    public record Revoked(int revoked) {}

    List<Operation> operations() {
        return List.of(
                post(ALL, "exposePort", "Lets a port be reached from outside").needs(Scope.CREATE).takes(ExposePort.class).answers(201, Exposure.class).by(this::expose),
                get(ALL, "listExposures", "What is exposed of a sandbox, and what was until its time was over").needs(Scope.READ).answersItems(Exposure.class)
                        .by(c -> c.json(new Items<>(exposures.list(c.caller(), c.sandbox()).stream().map(e -> addresses.of(e, c.http())).toList()))),
                delete(ALL, "revokeExposures", "Ends all that is exposed, or all of a port; open connections are closed when it answers").needs(Scope.CREATE)
                        .query("port", "integer", "only of this port").answers(200, Revoked.class).by(this::revokeAll),
                delete(ALL + "/{exposure}", "revokeExposure", "Ends one; open connections are closed when it answers").needs(Scope.CREATE).answersNothing().by(c -> {
                    exposures.revoke(c.caller(), c.sandbox(), c.parameter("exposure"));
                    c.http().nothing();
                }));
    }

    private void expose(Call call) throws IOException {
        var made = exposures.expose(call.caller(), call.sandbox(), call.http().json(ExposePort.class));
        call.http().set("Cache-Control", "no-store").json(201, addresses.of(made, call.http()));
    }

    private void revokeAll(Call call) throws IOException {
        var port = call.query().get("port") == null ? null : (Integer) (int) call.query().number("port", 0, 1, 65_535);
        call.json(new Revoked(exposures.revokeAll(call.caller(), call.sandbox(), port)));
    }
}
