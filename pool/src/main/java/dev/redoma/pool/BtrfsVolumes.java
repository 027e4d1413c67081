// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.BlockingCalls;
import dev.redoma.kernel.Btrfs;
import dev.redoma.kernel.Dir;
import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.VolumeId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Sandboxes get the directory `data` of the subvolume, never its root: whoever has that may make the whole read-only. Complete under its
/// name or not there.
final class BtrfsVolumes implements PoolVolumes {
    private static final String DATA = "data";
    /// Whoever a template's commands run as may write at the top; the sandbox is the boundary, not its users.
    private static final int OPEN = 0777;

    private final Subvolumes home;
    private final Quotas quotas;

    BtrfsVolumes(Subvolumes home, Quotas quotas) {
        this.home = home;
        this.quotas = quotas;
    }

    @Override
    public Path create(VolumeId volume, Bytes quota, long uid, long gid) {
        return BlockingCalls.call(() -> {
            if (!home.has(volume.value())) {
                try (var half = home.half(volume.value())) {
                    quotas.limit(half, quota.value());
                    half.fd().chmod(0700);
                    half.mkdir(DATA, OPEN);
                    half.chown(DATA, uid, gid);
                    half.chmod(DATA, OPEN);
                }
                home.finish(volume.value());
            }
            return path(volume);
        });
    }

    @Override
    public Path copy(VolumeId from, VolumeId volume, Bytes quota) {
        return BlockingCalls.call(() -> {
            if (!home.has(volume.value())) {
                try (var source = subvolume(from)) {
                    home.copyHalf(source, volume.value());
                }
                try (var half = home.openHalf(volume.value())) {
                    quotas.limit(half, quota.value());
                }
                home.finish(volume.value());
            }
            return path(volume);
        });
    }

    private Path path(VolumeId volume) {
        return home.path().resolve(volume.value()).resolve(DATA);
    }

    @Override
    public Optional<Path> find(VolumeId volume) {
        return home.has(volume.value()) ? Optional.of(path(volume)) : Optional.empty();
    }

    @Override
    public Dir open(VolumeId volume) {
        try (var subvolume = subvolume(volume)) {
            return subvolume.dirAt(DATA);
        }
    }

    private Dir subvolume(VolumeId volume) {
        if (!home.has(volume.value())) {
            throw Problem.of(Code.HOST_FAILED, "The disk of the volume " + volume + " is gone.", "Delete the volume and make a new one.").raise();
        }
        return home.open(volume.value());
    }

    @Override
    public void limit(VolumeId volume, Bytes quota) {
        BlockingCalls.run(() -> {
            try (var dir = subvolume(volume)) {
                quotas.limit(dir, quota.value());
            }
        });
    }

    @Override
    public Bytes used(VolumeId volume) {
        try (var dir = subvolume(volume)) {
            return new Bytes(quotas.used(dir));
        }
    }

    @Override
    public void delete(VolumeId volume) {
        BlockingCalls.run(() -> home.destroy(volume.value()));
    }

    @Override
    public List<VolumeId> list() {
        return home.names().stream().map(VolumeId::new).toList();
    }

    void close() {
        home.close();
    }
}
