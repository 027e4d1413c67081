// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Mounts;
import dev.redoma.model.Bytes;
import dev.redoma.model.wire.Finding;
import java.util.List;

/// What the pool found on this host: how limits are enforced, what carries it, and how much room there is.
final class Findings {
    private static final String AREA = "pool";
    private static final long LITTLE = 2L << 30;

    private Findings() {}

    static List<Finding> of(PoolMount mount, Quotas quotas, Pool.Space space) {
        return List.of(quota(quotas), place(mount), room(space));
    }

    private static Finding quota(Quotas quotas) {
        return quotas.isSimple()
                ? new Finding(AREA, "disk limits", "ok", "Btrfs simple quotas, proven by a write beyond a limit", null)
                : new Finding(
                        AREA,
                        "disk limits",
                        "warn",
                        "classic Btrfs quota groups, proven by a write beyond a limit; deleting large snapshots can hold up other work",
                        "Use a kernel of 6.7 or newer and a pool made with it.");
    }

    private static Finding place(PoolMount mount) {
        var source = Mounts.at(mount.root()).map(Mounts.Mount::source).orElse("the operator's file system");
        return new Finding(AREA, "file system", "ok", "Btrfs on " + source, null);
    }

    private static Finding room(Pool.Space space) {
        var detail = new Bytes(space.freeBytes() >> 20 << 20) + " free of " + new Bytes(space.totalBytes() >> 20 << 20);
        return space.freeBytes() >= LITTLE
                ? new Finding(AREA, "room", "ok", detail, null)
                : new Finding(AREA, "room", "warn", detail, "Free disk space, or enlarge the pool (pool.size).");
    }
}
