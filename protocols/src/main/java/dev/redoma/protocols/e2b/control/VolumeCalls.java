// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Volumes;
import dev.redoma.http.Route;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.Volume;
import dev.redoma.protocols.e2b.SandboxTokens;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Volumes themselves; their content is `VolumeContent`'s.
final class VolumeCalls {
    private final Endpoints on;
    private final Volumes volumes;
    private final SandboxTokens tokens;

    VolumeCalls(Endpoints on, Volumes volumes, SandboxTokens tokens) {
        this.on = on;
        this.volumes = volumes;
        this.tokens = tokens;
    }

    public record NewVolume(String name) {}

    public record Listed(String volumeID, String name) {}

    public record Opened(String volumeID, String name, String token, @Nullable String domain) {}

    List<Route> routes() {
        return List.of(
                on.post("/volumes", Scope.CREATE, this::create),
                on.get("/volumes", Scope.READ, c -> c.http().json(200, volumes.list(c.caller(), Map.of()).stream()
                        .filter(v -> v.tenant().equals(c.caller().tenant().value())).map(v -> new Listed(v.id(), v.name())).toList())),
                on.get("/volumes/{id}", Scope.CREATE, c -> c.http().json(200, opened(volumes.get(c.caller(), c.parameter("id"))))),
                on.delete("/volumes/{id}", Scope.CREATE, c -> {
                    volumes.delete(c.caller(), c.parameter("id"));
                    c.http().nothing();
                }));
    }

    /// Several sandboxes may write to it at a time, as these clients expect.
    private void create(Asked c) throws IOException {
        var name = Requests.body(c.http(), NewVolume.class).name();
        c.http().json(201, opened(volumes.create(c.caller(), new CreateVolume(name, null, true, null, null))));
    }

    private Opened opened(Volume v) {
        return new Opened(v.id(), v.name(), tokens.volume(v.id()), null);
    }
}
