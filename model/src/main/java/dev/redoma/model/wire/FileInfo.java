// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A file inside a sandbox. `type`: `file directory symlink fifo socket char block`; `mode` is four octal digits, e.g. `0755`. `real`: where it
/// is, every link resolved, if links were followed. `accessedAt`: as the file system keeps it (`relatime`); `changedAt`: its content or its facts; both are left out where an older sandbox does not tell them. `xattrs`: its attributes `user.*` as text, null where it has none.
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
        @Nullable Instant accessedAt,
        @Nullable Instant changedAt,
        @Nullable String target,
        long links,
        @Nullable String real,
        @Nullable Map<String, String> xattrs) {

    /// The same without attributes: short enough for a header.
    public FileInfo bare() {
        return new FileInfo(path, type, size, mode, uid, gid, owner, group, modifiedAt, accessedAt, changedAt, target, links, real, null);
    }
}
