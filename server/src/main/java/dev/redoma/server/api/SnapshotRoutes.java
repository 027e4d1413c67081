// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;
import static dev.redoma.server.api.Operation.put;

import dev.redoma.engine.Sandboxes;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.Snapshot;
import dev.redoma.model.wire.SnapshotContents;
import java.util.List;

/// Saved disks.
final class SnapshotRoutes {
    private static final String ONE = "/v1/snapshots/{snapshot}";
    private static final String TAG = ONE + "/tags/{tag}";

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
                        .query("name", "string", "only of this name").queries("label", "string", "name=value; all must match")
                        .answersItems(Snapshot.class).by(c -> c.json(new Items<>(sandboxes.listSnapshots(c.caller(),
                                new Sandboxes.SnapshotQuery(c.query().get("sandbox"), c.query().get("name"), SandboxRoutes.labels(c.query())))))),
                get(ONE, "getSnapshot", "One snapshot: id, name, name:tag or digest").needs(Scope.READ).answers(200, Snapshot.class)
                        .by(c -> c.json(sandboxes.getSnapshot(c.caller(), c.parameter("snapshot")))),
                get(ONE + "/contents", "getSnapshotContents", "What is in it, by class, as read now").needs(Scope.READ).answers(200, SnapshotContents.class)
                        .by(c -> c.json(sandboxes.snapshotContents(c.caller(), c.parameter("snapshot")))),
                put(TAG, "tagSnapshot", "Lets a tag of its name point at it").needs(Scope.CREATE).answers(200, Snapshot.class)
                        .by(c -> c.json(sandboxes.tagSnapshot(c.caller(), c.parameter("snapshot"), c.parameter("tag")))),
                delete(TAG, "untagSnapshot", "Takes a tag of a name away; the snapshot stays").needs(Scope.CREATE).answersNothing().by(c -> {
                    sandboxes.untagSnapshot(c.caller(), c.parameter("snapshot"), c.parameter("tag"));
                    c.http().nothing();
                }),
                delete(ONE, "deleteSnapshot", "Removes a snapshot; sandboxes made from it go on").needs(Scope.CREATE)
                        .answersNothing().by(c -> {
                            sandboxes.deleteSnapshot(c.caller(), c.parameter("snapshot"));
                            c.http().nothing();
                        }));
    }
}
