// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A command and its fate. `state`: `starting running exited lost`. Exit code, signal, timed out, killed and OOM are separate facts; `exitCode` is null until the exit was seen (128 + signal when signalled), and stays null when it never was (`lost`, with `reason`). `outputBytes`: what is kept; `droppedBytes`: what came beyond the cap; their sum is what was printed.
public record Exec(
        String id,
        String sandbox,
        List<String> argv,
        String cwd,
        String user,
        @Nullable Tty tty,
        String state,
        @Nullable Integer pid,
        @Nullable String label,
        Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Integer exitCode,
        @Nullable Integer signal,
        boolean timedOut,
        boolean killed,
        boolean oomKilled,
        @Nullable String reason,
        @Nullable Long timeoutMs,
        @Nullable Long wallMs,
        @Nullable Long cpuMs,
        @Nullable Long peakMemoryBytes,
        long outputBytes,
        long droppedBytes,
        boolean outputClosed) {}
