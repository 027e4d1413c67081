// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Btrfs;
import dev.redoma.kernel.Dir;
import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// One subvolume per sandbox, complete under its name or not there: it is made as `<id>.new` and renamed. The group of the subvolume's
/// root directory (0700, root's) records the range's base, which readers of the upper need.
final class Disks {
    private final Subvolumes home;
    private final Quotas quotas;

    Disks(Subvolumes home, Quotas quotas) {
        this.home = home;
        this.quotas = quotas;
    }

    Pool.Disk create(SandboxId id, Bytes quota, long uidBase) {
        if (home.has(id.value())) {
            try (var there = home.open(id.value())) {
                quotas.limit(there, quota.value());
            }
        } else {
            fill(home.half(id.value()), quota, uidBase);
            home.finish(id.value());
        }
        return disk(id);
    }

    Pool.Disk reset(SandboxId id, Bytes quota, long uidBase) {
        if (!home.has(id.value())) {
            return create(id, quota, uidBase);
        }
        fill(home.half(id.value()), quota, uidBase);
        home.exchange(id.value());
        return disk(id);
    }

    private void fill(Dir half, Bytes quota, long uidBase) {
        try (half) {
            quotas.limit(half, quota.value());
            half.mkdir("upper", 0755);
            half.chown("upper", uidBase, uidBase);
            half.chmod("upper", 0755);
            half.mkdir("work", 0700);
            half.fd().chown(0, uidBase);
            half.fd().chmod(0700);
        }
    }

    Optional<Pool.Disk> find(SandboxId id) {
        return home.has(id.value()) ? Optional.of(disk(id)) : Optional.empty();
    }

    Bytes used(SandboxId id) {
        try (var dir = home.open(id.value())) {
            return new Bytes(quotas.used(dir));
        }
    }

    void limit(SandboxId id, Bytes quota) {
        try (var dir = home.open(id.value())) {
            quotas.limit(dir, quota.value());
        }
    }

    void delete(SandboxId id) {
        home.destroy(id.value());
    }

    Dir open(SandboxId id) {
        return home.open(id.value());
    }

    List<SandboxId> list() {
        return home.names().stream().map(SandboxId::new).toList();
    }

    private Pool.Disk disk(SandboxId id) {
        Path at = home.path().resolve(id.value());
        return new Pool.Disk(at, at.resolve("upper"), at.resolve("work"));
    }
}
