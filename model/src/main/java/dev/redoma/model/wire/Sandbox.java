// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A sandbox as it is now. `state`: `creating running paused stopped archived lost ended`.
public record Sandbox(
        String id,
        @Nullable String name,
        String tenant,
        String state,
        @Nullable StopReason reason,
        TemplateRef template,
        Map<String, String> labels,
        Isolation isolation,
        String privileges,
        String policy,
        String reopen,
        String onTimeout,
        Limits limits,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endsAt,
        @Nullable Instant endedAt,
        long starts,
        @Nullable Boolean reused,
        @Nullable Boolean warm,
        @Nullable String forkedFrom,
        @Nullable String createdBy,
        List<Mount> volumes,
        @Nullable Workspace workspace) {}
