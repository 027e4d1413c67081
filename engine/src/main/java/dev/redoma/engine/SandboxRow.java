// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Isolation;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Mount;
import dev.redoma.model.wire.StopReason;
import dev.redoma.model.wire.TemplateRef;
import dev.redoma.model.wire.Workspace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A sandbox as the database knows it. `remaining`: life left while paused.
record SandboxRow(
        SandboxId id,
        TenantId tenant,
        @Nullable String name,
        State state,
        @Nullable Target target,
        TemplateRef template,
        List<LayerRef> layers,
        Map<String, String> labels,
        Map<String, String> env,
        Limits limits,
        Isolation isolation,
        String privileges,
        String policy,
        String reopen,
        String onTimeout,
        boolean untrusted,
        @Nullable Long uidBase,
        @Nullable InstanceRef instance,
        Instant createdAt,
        String createdBy,
        @Nullable Instant startedAt,
        @Nullable Instant endsAt,
        @Nullable Duration remaining,
        @Nullable Instant endedAt,
        Instant activeAt,
        long starts,
        boolean warm,
        @Nullable StopReason reason,
        @Nullable String forkedFrom,
        List<Mount> mounts,
        @Nullable Workspace workspace) {

    UidRange range() {
        if (uidBase == null) {
            throw new IllegalStateException(id + " has no uid range in state " + state);
        }
        return new UidRange(uidBase);
    }

    boolean sudo() {
        return privileges.equals("sudo");
    }

    String hostname() {
        return name == null ? id.value() : name;
    }

    /// Paused, it is resumed by whoever uses it.
    boolean wakes() {
        return onTimeout.equals("sleep");
    }

    boolean quarantined() {
        return reason != null && reason.kind().equals("quarantine") && state != State.ENDED;
    }
}
