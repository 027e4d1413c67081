// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;

/// The cache of a package tool (`name`) that sandboxes of a tenant and template get private copies of.
public record Cache(String id, String name, String template, String tenant, long sizeBytes, Instant createdAt, String createdBy) {}
