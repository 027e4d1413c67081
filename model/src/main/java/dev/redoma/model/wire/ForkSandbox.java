// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/sandboxes/{id}/fork`: a new sandbox from the disk as it is now; null = as the source, but
/// for volumes: it has those that are asked for, and no other.
public record ForkSandbox(@Nullable String name, @Nullable Map<String, String> labels, @Nullable Limits limits, @Nullable List<VolumeMount> volumes) {

    public ForkSandbox(@Nullable String name, @Nullable Map<String, String> labels, @Nullable Limits limits) {
        this(name, labels, limits, null);
    }
}
