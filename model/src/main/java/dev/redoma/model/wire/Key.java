// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An API key without its value. `scopes`: `read create exec approve operate`; `user`: the person it belongs to (none: a program's); `issuedBy`: the key by which its value was made, or `server`; `rotatedAt`: when
/// its value was made anew last.
public record Key(String id, String name, String tenant, List<String> scopes, Instant createdAt, @Nullable Instant revokedAt, @Nullable String user, @Nullable String issuedBy, @Nullable Instant rotatedAt) {}
