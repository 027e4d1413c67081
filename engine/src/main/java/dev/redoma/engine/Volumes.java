// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.Volume;
import java.util.List;
import java.util.Map;

/// Volumes: what is kept across sandboxes because somebody chose to keep it. `volume` is an id or a name of the caller's tenant.
public interface Volumes {

    /// The quota is in force when this returns.
    Volume create(Caller caller, CreateVolume request);

    /// Those of the caller's tenant (operators: of all) that have these labels.
    List<Volume> list(Caller caller, Map<String, String> labels);

    Volume get(Caller caller, String volume);

    /// Not below what it holds.
    Volume resize(Caller caller, String volume, long sizeBytes);

    /// Refused while a sandbox that has not ended has it.
    void delete(Caller caller, String volume);
}
