// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A saved disk; usable as a template by its `id`, `name`, `name:tag` or `digest`. `template`: what its sandbox was made from; `contents`: what
/// was ordered of each class; `scrubbed`: what was taken out, by class.
public record Snapshot(
        String id,
        @Nullable String name,
        List<String> tags,
        String sandbox,
        TemplateRef template,
        String digest,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Integer keepCount,
        Map<String, String> labels,
        Map<String, String> contents,
        Map<String, Scrubbed> scrubbed) {}
