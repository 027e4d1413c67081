// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// That a person, by any of their keys, or a key may join what runs in a sandbox until then: one command, or all (`exec` null). `mode`: `read` sees output; `write` types too.
public record AttachGrant(String id, String sandbox, @Nullable String person, @Nullable String key, @Nullable String exec, String mode, Instant createdAt, String createdBy, Instant expiresAt) {}
