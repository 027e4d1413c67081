// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The cache of a package tool (`name`) that sandboxes of a tenant and template get private copies of. `sizeBytes` is what it may hold, `usedBytes` what it does.
public record Cache(String id, String name, String template, String tenant, long sizeBytes, @Nullable Long usedBytes, Instant createdAt, String createdBy) {}
