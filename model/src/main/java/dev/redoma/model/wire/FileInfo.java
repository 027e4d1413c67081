// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A file inside a sandbox. `type`: `file directory symlink fifo socket char block`; `mode` is four octal digits, e.g. `0755`. `real`: where it
/// is, every link resolved, if links were followed. `xattrs`: its attributes `user.*` as text, null where it has none.
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
        long links,
        @Nullable String real,
        @Nullable Map<String, String> xattrs) {

    /// The same without attributes: short enough for a header.
    public FileInfo bare() {
        return new FileInfo(path, type, size, mode, uid, gid, owner, group, modifiedAt, target, links, real, null);
    }
}
