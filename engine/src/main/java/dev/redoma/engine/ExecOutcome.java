// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// How an exec ended. `exitCode` and `signal` are the guest's word, the rest the host's own; `exitCode` is null where no exit was seen.
/// `reason`: `timeout`, `killed`, `oom`, or for `lost` the words why.
record ExecOutcome(
        String state,
        @Nullable Integer exitCode,
        @Nullable Integer signal,
        boolean timedOut,
        boolean killed,
        boolean oomKilled,
        @Nullable String reason,
        Instant endedAt,
        long wallMicros,
        @Nullable Long cpuMicros,
        @Nullable Long peakBytes) {

    static final String EXITED = "exited";
    static final String LOST = "lost";
}
