// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

/// What a sandbox uses now, as the host reads it.
public record Usage(
        long cpuMs, long memoryBytes, long memoryPeakBytes, long memoryLimitBytes, long diskBytes, long diskLimitBytes, long pids, long pidsLimit, long oomKills) {}
