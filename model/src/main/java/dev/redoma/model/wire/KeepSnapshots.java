// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import org.jspecify.annotations.Nullable;

/// How long snapshots stay: the newest `count` of the same name (without a name: of the same sandbox), and each no longer than `ageMs`.
/// 0: no such bound, whatever the server's configuration says.
public record KeepSnapshots(@Nullable Integer count, @Nullable Long ageMs) {}
