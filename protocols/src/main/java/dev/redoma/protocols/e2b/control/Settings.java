// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import org.jspecify.annotations.Nullable;

/// What the operator says about this protocol. `domain`: where `<port>-<id>.<domain>` leads to this server (may hold a port; null: there is
/// none, and clients keep theirs); `longestIdleMs`: the most that the engine lets a sandbox be idle, for these clients know no such limit;
/// `largestUpload`: most bytes of one upload.
public record Settings(@Nullable String domain, long longestIdleMs, long largestUpload) {}
