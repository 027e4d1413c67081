// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Route;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Limits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a derivative of E2B's SDKs asks for beside: copies, a disk as it was, and (refused by name) what this server does not have.
final class NovitaCalls {
    private static final int COPIES = 100;

    private final Endpoints on;
    private final Sandboxes sandboxes;
    private final Answers answers;

    NovitaCalls(Endpoints on, Sandboxes sandboxes, Answers answers) {
        this.on = on;
        this.sandboxes = sandboxes;
        this.answers = answers;
    }

    public record Clone(@Nullable Integer count, @Nullable Boolean strict, @Nullable String nodeID, @Nullable Long timeout) {}

    /// `snapshotTemplateId`: copies are made of the disk itself; there is no snapshot between.
    public record Clones(List<Answers.Made> sandboxes, String snapshotTemplateId) {}

    List<Route> routes() {
        return List.of(
                on.post("/sandboxes/{id}/clone", Scope.CREATE, this::clone),
                on.post("/sandboxes/{id}/reset", Scope.CREATE, this::reset),
                on.get("/sandboxes/quota", Scope.READ, refuse("quota", "what a tenant may have together is the operator's configuration: quota.* in redoma.yaml")),
                on.get("/sandboxes/events", Scope.READ, refuse("events", "they are read at /events/sandboxes")),
                on.post("/sandboxes/{id}/hotplug-memory", Scope.CREATE, refuse("requested_size_mib", "the memory of a sandbox is fixed when it is made")),
                on.post("/sandboxes/{id}/volume-mounts", Scope.CREATE, refuse("volumeMounts", "volumes are mounted when a sandbox is made")),
                on.patch("/volumes/{id}", Scope.CREATE, refuse("quotaSizeGiB", "the size of a volume is fixed when it is made")),
                on.delete("/sandboxes/{id}/volume-mounts", Scope.CREATE, refuse("volumeMounts", "volumes are mounted when a sandbox is made")));
    }

    private static Endpoints.Action refuse(String field, String why) {
        return c -> {
            throw Egress.notOffered(field, why + ".", "See docs/protocols/e2b.md.");
        };
    }

    /// Its disk is its template's again, and nothing of it runs on; without `resume` it is paused then.
    private void reset(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Requests.Reset.class);
        Requests.unguarded(asked.secure(), asked.allowPublicTraffic(), asked.network());
        var lifetime = asked.timeout() == null ? null : Orders.seconds("timeout", asked.timeout());
        var fresh = sandboxes.reset(c.caller(), c.sandbox());
        if (lifetime != null) {
            fresh = sandboxes.setLifetime(c.caller(), fresh.id(), lifetime);
        }
        if (Boolean.FALSE.equals(asked.resume()) && fresh.state().equals("running")) {
            fresh = sandboxes.pause(c.caller(), fresh.id());
        }
        c.http().json(200, answers.made(fresh));
    }

    /// All of them, or with `strict` none; without it as many as can be made, but one at least.
    private void clone(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Clone.class);
        int count = asked.count() == null ? 1 : asked.count();
        if (count < 1 || count > COPIES) {
            throw Problem.field("count", "'" + count + "' cannot be taken", "1 to " + COPIES);
        }
        var lifetime = asked.timeout() == null ? null : Orders.seconds("timeout", asked.timeout()).toMillis();
        var request = new ForkSandbox(null, null, new Limits(null, null, null, null, null, null, null, lifetime, null));
        var made = new ArrayList<Answers.Made>();
        for (int i = 0; i < count; i++) {
            try {
                made.add(answers.made(sandboxes.fork(c.caller(), c.sandbox(), request, null)));
            } catch (RedomaException refused) {
                if (made.isEmpty() || Boolean.TRUE.equals(asked.strict())) {
                    made.forEach(copy -> sandboxes.kill(c.caller(), copy.sandboxID()));
                    throw refused;
                }
                break;
            }
        }
        c.http().set(SnapshotCalls.NOTE, SnapshotCalls.DISK_ONLY).json(201, new Clones(made, ""));
    }
}
