// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.BuildId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.Problem;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A build as the database has it.
record BuildRow(
        BuildId id,
        TenantId tenant,
        String template,
        @Nullable String tag,
        String source,
        String state,
        int step,
        int steps,
        int cached,
        List<LayerRef> layers,
        @Nullable String digest,
        @Nullable Problem error,
        String createdBy,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt) {
    static final String QUEUED = "queued";
    static final String RUNNING = "running";
    static final String READY = "ready";
    static final String FAILED = "failed";
    static final String CANCELLED = "cancelled";
    private static final Set<String> ENDED = Set.of(READY, FAILED, CANCELLED);

    static BuildRow queued(BuildId id, TenantId tenant, String template, @Nullable String tag, String source, int steps, String by, Instant at) {
        return new BuildRow(id, tenant, template, tag, source, QUEUED, 0, steps, 0, List.of(), null, null, by, at, null, null);
    }

    boolean ended() {
        return ENDED.contains(state);
    }

    Build view() {
        return new Build(id.value(), template, tag, source, state, step, steps, cached, digest, error, createdAt, startedAt, endedAt, createdBy);
    }
}
