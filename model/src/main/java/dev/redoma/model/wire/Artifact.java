// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;

/// A file of a sandbox that is kept: `path` below the workspace whose start was kept, else from the root. `why`: `end` (it was declared) or `asked`.
public record Artifact(String id, String path, long size, String mode, String digest, Instant modifiedAt, Instant collectedAt, String why) {}
