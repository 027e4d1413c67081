// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.TenantId;
import dev.redoma.model.VolumeId;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A volume as the database knows it. `template`: of a cache; `sandbox`: whose private copy of a cache it is.
record VolumeRow(
        VolumeId id,
        TenantId tenant,
        String name,
        Kind kind,
        String state,
        @Nullable String target,
        long sizeBytes,
        boolean shared,
        long uid,
        long gid,
        Map<String, String> labels,
        @Nullable String template,
        @Nullable String sandbox,
        Instant createdAt,
        String createdBy) {
    static final String READY = "ready";
    static final String CREATE = "create";
    static final String RESIZE = "resize";
    static final String DELETE = "delete";

    /// What it is there for: a volume that a tenant named, what the tenant's sandboxes of a template get copies of, or such a copy.
    enum Kind {
        VOLUME, CACHE, COPY;

        String wire() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        static Kind of(String wire) {
            return valueOf(wire.toUpperCase(java.util.Locale.ROOT));
        }
    }

    boolean usable() {
        return state.equals(READY) && !DELETE.equals(target);
    }

    String owner() {
        return uid + ":" + gid;
    }
}
