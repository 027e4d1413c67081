// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/sandboxes/{id}/fork`: a new sandbox from the disk as it is now; null = as the source.
public record ForkSandbox(@Nullable String name, @Nullable Map<String, String> labels, @Nullable Limits limits) {}
