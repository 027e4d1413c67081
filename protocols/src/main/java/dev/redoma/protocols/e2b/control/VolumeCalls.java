// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Volumes;
import dev.redoma.http.Route;
import dev.redoma.model.Problem;
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
    private static final long MOST_GIB = 1 << 20;

    private final Endpoints on;
    private final Volumes volumes;
    private final SandboxTokens tokens;

    VolumeCalls(Endpoints on, Volumes volumes, SandboxTokens tokens) {
        this.on = on;
        this.volumes = volumes;
        this.tokens = tokens;
    }

    /// `quotaSizeGiB`: of a derivative's clients.
    public record NewVolume(String name, @Nullable Long quotaSizeGiB) {}

    public record Listed(String volumeID, String name, long quotaSizeGiB, long usedSizeBytes) {}

    public record Opened(String volumeID, String name, String token, @Nullable String domain, long quotaSizeGiB, long usedSizeBytes) {}

    List<Route> routes() {
        return List.of(
                on.post("/volumes", Scope.CREATE, this::create),
                on.get("/volumes", Scope.READ, c -> c.http().json(200, volumes.list(c.caller(), Map.of()).stream()
                        .filter(v -> v.tenant().equals(c.caller().tenant().value())).map(v -> new Listed(v.id(), v.name(), gib(v), used(v))).toList())),
                on.get("/volumes/{id}", Scope.CREATE, c -> c.http().json(200, opened(volumes.get(c.caller(), c.parameter("id"))))),
                on.delete("/volumes/{id}", Scope.CREATE, c -> {
                    volumes.delete(c.caller(), c.parameter("id"));
                    c.http().nothing();
                }));
    }

    /// Several sandboxes may write to it at a time, as these clients expect.
    private void create(Asked c) throws IOException {
        var asked = Requests.body(c.http(), NewVolume.class);
        var gib = asked.quotaSizeGiB();
        if (gib != null && (gib < 1 || gib > MOST_GIB)) {
            throw Problem.field("quotaSizeGiB", "'" + gib + "' cannot be taken", "1 to " + MOST_GIB);
        }
        c.http().json(201, opened(volumes.create(c.caller(), new CreateVolume(asked.name(), gib == null ? null : gib << 30, true, null, null))));
    }

    private Opened opened(Volume v) {
        return new Opened(v.id(), v.name(), tokens.volume(v.id()), null, gib(v), used(v));
    }

    /// Down to whole ones.
    private static long gib(Volume v) {
        return v.sizeBytes() >> 30;
    }

    private static long used(Volume v) {
        return v.usedBytes() == null ? 0 : v.usedBytes();
    }
}
