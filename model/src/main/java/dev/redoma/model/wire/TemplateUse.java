// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// Sandboxes (not ended) and snapshots that stand on a template version, as far as the caller may see them: how many, and the ids of
/// the first twenty of each.
public record TemplateUse(int sandboxes, int snapshots, List<String> sandboxIds, List<String> snapshotIds) {}
