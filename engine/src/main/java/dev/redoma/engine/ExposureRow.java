// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ExposureId;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Exposure;
import dev.redoma.policy.Audience;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An exposed port as the database has it.
record ExposureRow(ExposureId id, SandboxId sandbox, TenantId tenant, int port, Audience audience, Instant createdAt, String createdBy, Instant expiresAt) {

    boolean expired(Instant now) {
        return !now.isBefore(expiresAt);
    }

    Exposure view(Instant now, @Nullable String token) {
        return new Exposure(id.value(), sandbox.value(), port, audience.wire(), expired(now) ? "expired" : "open", createdAt, createdBy, expiresAt, token, null, null);
    }
}
