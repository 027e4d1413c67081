// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What can be reviewed of a sandbox. `patterns`: artifacts that were declared. `root`: its workspace; null if no start was kept. `authority`: what it trusted when it ended. `disk`: the kept disk is still there.
record ReviewRow(SandboxId sandbox, TenantId tenant, @Nullable String root, String state, @Nullable String authority, long bytes, boolean disk, @Nullable Instant endedAt, @Nullable Instant expiresAt, List<String> patterns) {
    static final String LIVE = "live";
    static final String ENDING = "ending";
    static final String KEPT = "kept";
}
