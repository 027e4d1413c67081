// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/sandboxes/{id}/snapshots`. A second snapshot of a `name` needs a `tag`, which moves to it. `contents`: for classes of
/// contents `keep`, `scrub` or `refuse`, over the server's configuration.
public record CreateSnapshot(
        @Nullable String name,
        @Nullable String tag,
        @Nullable Map<String, String> labels,
        @Nullable Map<String, String> contents,
        @Nullable KeepSnapshots keep) {

    public CreateSnapshot(@Nullable String name, @Nullable Map<String, String> labels) {
        this(name, null, labels, null, null);
    }
}
