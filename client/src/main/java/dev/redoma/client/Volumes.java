// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.ResizeVolume;
import dev.redoma.model.wire.Volume;
import java.util.List;
import java.util.Map;

/// What is kept across sandboxes. `volume` is a name or an id. Thread-safe.
public final class Volumes {
    private final Api api;

    Volumes(Api api) {
        this.api = api;
    }

    public Volume create(CreateVolume what) {
        return api.post(Target.of("/v1/volumes"), what, Volume.class);
    }

    /// Those with all these labels.
    public List<Volume> list(Map<String, String> labels) {
        var target = Target.of("/v1/volumes");
        labels.forEach((name, value) -> target.with("label", name + "=" + value));
        Page<Volume> page = api.getList(target, Page.class, Volume.class);
        return page.items();
    }

    public Volume get(String volume) {
        return api.get(at(volume, ""), Volume.class);
    }

    public Volume resize(String volume, long sizeBytes) {
        return api.post(at(volume, "/resize"), new ResizeVolume(sizeBytes), Volume.class);
    }

    /// With all that is on it; refused while a sandbox has it.
    public void delete(String volume) {
        api.send("DELETE", at(volume, ""), null);
    }

    /// Files of a volume, without a sandbox.
    public SandboxFiles files(String volume) {
        return new SandboxFiles(api, "/v1/volumes/", volume);
    }

    private static Target at(String volume, String rest) {
        return Target.of("/v1/volumes/", volume, rest);
    }
}
