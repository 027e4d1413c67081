// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// What a sandbox uses now, as the host reads it. `memoryCacheBytes`: how much of `memoryBytes` are pages of files, which are given up where memory is short. `refused`: in its life; null where nothing stands
/// between it and the outside that could keep count (policy `none`, or it does not run).
public record Usage(
        long cpuMs, long memoryBytes, long memoryCacheBytes, long memoryPeakBytes, long memoryLimitBytes, long diskBytes, long diskLimitBytes, long pids, long pidsLimit, long oomKills, @Nullable Refusals refused) {

    public Usage(long cpuMs, long memoryBytes, long memoryCacheBytes, long memoryPeakBytes, long memoryLimitBytes, long diskBytes, long diskLimitBytes, long pids, long pidsLimit, long oomKills) {
        this(cpuMs, memoryBytes, memoryCacheBytes, memoryPeakBytes, memoryLimitBytes, diskBytes, diskLimitBytes, pids, pidsLimit, oomKills, null);
    }
}
