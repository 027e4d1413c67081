// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.model.wire.Limits;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// What the operator says about this protocol. `domain`: where `<port>-<id>.<domain>` leads to this server (may hold a port; null: there is
/// none, and clients keep theirs); `publicPorts`: whether the operator lets ports be reached without a token; `limits`: what a sandbox gets; `longestIdleMs`: the most that the engine lets a sandbox be idle, for these
/// clients know no such limit; `largestUpload`: most bytes of one upload; `uploads`: where those of
/// builds are kept.
public record Settings(@Nullable String domain, boolean publicPorts, Limits limits, long longestIdleMs, long largestUpload, Path uploads) {

    int cores() {
        return limits.cpu() == null ? 1 : (int) Math.max(1, Math.ceil(limits.cpu()));
    }

    long memoryMb() {
        return limits.memoryBytes() == null ? 0 : limits.memoryBytes() >> 20;
    }

    long diskMb() {
        return limits.diskBytes() == null ? 0 : limits.diskBytes() >> 20;
    }
}
