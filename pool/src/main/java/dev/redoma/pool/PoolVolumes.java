// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.model.Bytes;
import dev.redoma.model.VolumeId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Volumes of the pool: a subvolume each, whose files are owned from uid 0, with a quota of its own. Thread-safe; creation and deletion
/// are idempotent.
public interface PoolVolumes {

    /// Makes it, empty, its root directory owned by `uid` and `gid` and open to all; the quota is in force when it has its name.
    Path create(VolumeId volume, Bytes quota, long uid, long gid);

    /// Makes it with the content that another has at this moment, in time that does not depend on how much that is.
    Path copy(VolumeId from, VolumeId volume, Bytes quota);

    /// The directory to be mounted, if it is there.
    Optional<Path> find(VolumeId volume);

    /// Opens that directory. What lies in it was written by sandboxes.
    Dir open(VolumeId volume);

    /// Sets another quota; in force when this returns.
    void limit(VolumeId volume, Bytes quota);

    /// Bytes in use as accounted for the quota.
    Bytes used(VolumeId volume);

    void delete(VolumeId volume);

    List<VolumeId> list();
}
