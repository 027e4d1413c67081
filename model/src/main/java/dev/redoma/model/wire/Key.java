// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An API key without its value. `scopes`: `read create exec approve operate`.
public record Key(String id, String name, String tenant, List<String> scopes, Instant createdAt, @Nullable Instant revokedAt) {}
