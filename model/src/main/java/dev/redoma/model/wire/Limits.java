// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// What a sandbox may use. In a request a null means the server's default; in an answer every value that is in force is there.
public record Limits(
        @Nullable Double cpu,
        @Nullable Long memoryBytes,
        @Nullable Long diskBytes,
        @Nullable Long pids,
        @Nullable Long openFiles,
        @Nullable Long shmBytes,
        @Nullable Long ioBytesPerSecond,
        @Nullable Long lifetimeMs,
        @Nullable Long idleMs) {

    public static final Limits DEFAULTS = new Limits(null, null, null, null, null, null, null, null, null);
}
