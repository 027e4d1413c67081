// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/sandboxes/{id}/snapshots`.
public record CreateSnapshot(@Nullable String name, @Nullable Map<String, String> labels) {}
