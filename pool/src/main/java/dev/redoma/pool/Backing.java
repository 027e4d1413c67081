// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.model.Bytes;
import java.nio.file.Path;
import java.util.Optional;

/// What the pool lies on.
public sealed interface Backing {

    /// A sparse file in the data directory. Without a size: four fifths of the room that is free when it is first made, at most
    /// 512 GiB. A larger size than it has makes it grow at the next open; it never shrinks.
    record SparseFile(Optional<Bytes> size) implements Backing {}

    /// A block device for the pool alone: formatted if it holds no file system, refused if it holds another than Btrfs.
    record Device(Path device) implements Backing {}

    /// A directory on a Btrfs file system that is mounted already. Quotas are switched on for that whole file system.
    record Directory(Path directory) implements Backing {}

    static Backing sparse(Bytes size) {
        return new SparseFile(Optional.of(size));
    }

    static Backing sparse() {
        return new SparseFile(Optional.empty());
    }
}
