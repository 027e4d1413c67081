// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Sandboxes;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.Snapshot;
import java.util.List;

/// Saved disks.
final class SnapshotRoutes {
    private final Sandboxes sandboxes;

    SnapshotRoutes(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    List<Operation> operations() {
        return List.of(
                post("/v1/sandboxes/{id}/snapshots", "createSnapshot", "Saves its disk").needs(Scope.CREATE).takes(CreateSnapshot.class)
                        .answers(201, Snapshot.class)
                        .by(c -> c.http().json(201, sandboxes.snapshot(c.caller(), c.sandbox(), c.http().json(CreateSnapshot.class)))),
                get("/v1/snapshots", "listSnapshots", "Snapshots of the caller's tenant").needs(Scope.READ).query("sandbox", "string", "only of this sandbox")
                        .answersItems(Snapshot.class).by(c -> c.json(new Items<>(sandboxes.snapshots(c.caller(), c.query().get("sandbox"))))),
                get("/v1/snapshots/{snapshot}", "getSnapshot", "One snapshot").needs(Scope.READ).answers(200, Snapshot.class)
                        .by(c -> c.json(sandboxes.getSnapshot(c.caller(), c.parameter("snapshot")))),
                delete("/v1/snapshots/{snapshot}", "deleteSnapshot", "Removes a snapshot; sandboxes made from it go on").needs(Scope.CREATE)
                        .answersNothing().by(c -> {
                            sandboxes.deleteSnapshot(c.caller(), c.parameter("snapshot"));
                            c.http().nothing();
                        }));
    }
}
