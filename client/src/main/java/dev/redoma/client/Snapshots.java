// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Snapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Saved disk states. Thread-safe.
public final class Snapshots {
    private final Api api;

    Snapshots(Api api) {
        this.api = api;
    }

    /// Of one sandbox, or all (null).
    public List<Snapshot> list(@Nullable String sandbox) {
        Page<Snapshot> page = api.getList(Target.of("/v1/snapshots").with("sandbox", sandbox), Page.class, Snapshot.class);
        return page.items();
    }

    public Snapshot get(String snapshot) {
        return api.get(Target.of("/v1/snapshots/", snapshot), Snapshot.class);
    }

    public void delete(String snapshot) {
        api.send("DELETE", Target.of("/v1/snapshots/", snapshot), null);
    }
}
