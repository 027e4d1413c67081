// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A file inside a sandbox. `type`: `file directory symlink fifo socket char block`; `mode` is four octal digits, e.g. `0755`.
public record FileInfo(
        String path,
        String type,
        long size,
        String mode,
        long uid,
        long gid,
        String owner,
        String group,
        Instant modifiedAt,
        @Nullable String target,
        long links) {}
