// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A volume as it is now. `state`: `creating ready deleting`; `owner` is `uid:gid` as seen inside; `usedBytes` as counted for its quota;
/// `sandboxes`: those that have it, stopped ones too.
public record Volume(
        String id,
        String name,
        String tenant,
        String state,
        long sizeBytes,
        @Nullable Long usedBytes,
        boolean shared,
        String owner,
        Map<String, String> labels,
        Instant createdAt,
        String createdBy,
        List<Holder> sandboxes) {

    /// A sandbox that has the volume; `live`: it runs, starts or is paused.
    public record Holder(String sandbox, @Nullable String name, String state, boolean live, String path, boolean readOnly) {}
}
