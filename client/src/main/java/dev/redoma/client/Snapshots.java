// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Snapshot;
import dev.redoma.model.wire.SnapshotContents;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Saved disk states. Thread-safe.
public final class Snapshots {
    private final Api api;

    Snapshots(Api api) {
        this.api = api;
    }

    /// Of one sandbox, or all (null).
    public List<Snapshot> list(@Nullable String sandbox) {
        return list(sandbox, null, Map.of());
    }

    /// Of one sandbox, of one name, with these labels; null is any.
    public List<Snapshot> list(@Nullable String sandbox, @Nullable String name, Map<String, String> labels) {
        Target target = Target.of("/v1/snapshots").with("sandbox", sandbox).with("name", name);
        labels.forEach((label, value) -> target.with("label", label + "=" + value));
        Page<Snapshot> page = api.getList(target, Page.class, Snapshot.class);
        return page.items();
    }

    /// By id, `name` (the newest of that name), `name:tag` or digest.
    public Snapshot get(String snapshot) {
        return api.get(at(snapshot), Snapshot.class);
    }

    /// What is in it, by class, as read now.
    public SnapshotContents contents(String snapshot) {
        return api.send(api.plain("GET", Target.of("/v1/snapshots/", snapshot, "/contents")).patience(api.patience().work()), SnapshotContents.class);
    }

    /// Lets a tag of its name point at it.
    public Snapshot tag(String snapshot, String tag) {
        return api.send(api.plain("PUT", Target.of("/v1/snapshots/", snapshot, "/tags/", tag)), Snapshot.class);
    }

    public void untag(String name, String tag) {
        api.send("DELETE", Target.of("/v1/snapshots/", name, "/tags/", tag), null);
    }

    public void delete(String snapshot) {
        api.send("DELETE", at(snapshot), null);
    }

    private static Target at(String snapshot) {
        return Target.of("/v1/snapshots/", snapshot);
    }
}
