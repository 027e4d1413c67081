// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;

/// What was collected; `leftOut`: paths that match and for which there was no room (the first hundred of `more`).
public record ArtifactCollection(List<Artifact> items, List<String> leftOut, int more) {}
