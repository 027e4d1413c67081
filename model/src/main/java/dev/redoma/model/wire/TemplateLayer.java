// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// A layer of a template version: stored once, by the digest of its content (`sizeBytes`: of its files, shared by all that have it), or
/// the saved disk of a snapshot.
public record TemplateLayer(@Nullable String digest, @Nullable String snapshot, @Nullable Long sizeBytes) {}
