// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import org.jspecify.annotations.Nullable;

/// Limits as enforced by a tier. `cpu` in cores; `ioBytesPerSecond` null = none. Every one is enforced or create fails.
public record InstanceLimits(
        double cpu, long memoryBytes, long pids, long openFiles, long shmBytes, @Nullable Long ioBytesPerSecond) {}
