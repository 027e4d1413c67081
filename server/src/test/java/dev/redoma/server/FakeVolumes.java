// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Volumes;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.Volume;
import java.util.List;
import java.util.Map;

/// There is none.
final class FakeVolumes implements Volumes {
    @Override
    public Volume create(Caller caller, CreateVolume request) {
        throw none();
    }

    @Override
    public List<Volume> list(Caller caller, Map<String, String> labels) {
        return List.of();
    }

    @Override
    public Volume get(Caller caller, String volume) {
        throw none();
    }

    @Override
    public Volume resize(Caller caller, String volume, long sizeBytes) {
        throw none();
    }

    @Override
    public void delete(Caller caller, String volume) {
        throw none();
    }

    private static RuntimeException none() {
        return Problem.of(Code.VOLUME_NOT_FOUND, "There is no such volume.", "List them.").raise();
    }
}
