// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A template version. `source`: `debootstrap tar snapshot`; `state`: `building ready failed`.
public record Template(String name, String digest, String source, String state, Instant createdAt, long sizeBytes, @Nullable String message) {}
