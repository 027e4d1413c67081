// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Why a sandbox stopped or ended: `killed timeout idle oom disk pids crashed policy quarantine host reset`, the limit that did it, and when.
public record StopReason(String kind, @Nullable String limit, @Nullable String message, Instant at) {}
