// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A saved disk state; usable as a template by its `name` or `id`.
public record Snapshot(String id, @Nullable String name, String sandbox, TemplateRef template, String digest, Instant createdAt, Map<String, String> labels) {}
