// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/volumes`. `shared`: several live sandboxes may write to it at a time. `owner`: `uid:gid` of its root directory and of
/// what the files API writes (default `1000:1000`).
public record CreateVolume(
        String name, @Nullable Long sizeBytes, @Nullable Boolean shared, @Nullable String owner, @Nullable Map<String, String> labels) {}
