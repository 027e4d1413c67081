// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Volumes;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.ResizeVolume;
import dev.redoma.model.wire.Volume;
import java.util.List;

/// What is kept across sandboxes.
final class VolumeRoutes {
    static final String ONE = "/v1/volumes/{volume}";

    private final Volumes volumes;

    VolumeRoutes(Volumes volumes) {
        this.volumes = volumes;
    }

    List<Operation> operations() {
        return List.of(
                post("/v1/volumes", "createVolume", "Makes a volume; its quota is in force at once").needs(Scope.CREATE).takes(CreateVolume.class)
                        .answers(201, Volume.class).by(c -> c.http().json(201, volumes.create(c.caller(), c.http().json(CreateVolume.class)))),
                get("/v1/volumes", "listVolumes", "Volumes of the caller's tenant").needs(Scope.READ).queries("label", "string", "only with this label, k=v")
                        .answersItems(Volume.class).by(c -> c.json(new Items<>(volumes.list(c.caller(), SandboxRoutes.labels(c.query()))))),
                get(ONE, "getVolume", "One volume, with the sandboxes that have it").needs(Scope.READ).answers(200, Volume.class)
                        .by(c -> c.json(volumes.get(c.caller(), c.parameter("volume")))),
                post(ONE + "/resize", "resizeVolume", "Gives it another quota, not below what it holds").needs(Scope.CREATE).takes(ResizeVolume.class)
                        .answers(200, Volume.class)
                        .by(c -> c.json(volumes.resize(c.caller(), c.parameter("volume"), c.http().json(ResizeVolume.class).sizeBytes()))),
                delete(ONE, "deleteVolume", "Removes it with all that is on it; refused while a sandbox has it").needs(Scope.CREATE).answersNothing().by(c -> {
                    volumes.delete(c.caller(), c.parameter("volume"));
                    c.http().nothing();
                }));
    }
}
