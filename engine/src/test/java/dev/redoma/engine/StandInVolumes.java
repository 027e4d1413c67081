// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.kernel.Dir;
import dev.redoma.model.Bytes;
import dev.redoma.model.VolumeId;
import dev.redoma.pool.PoolVolumes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Plain directories, their quotas only remembered.
final class StandInVolumes implements PoolVolumes {
    final Map<VolumeId, Long> quotas = new ConcurrentHashMap<>();
    volatile long used;
    private final Path root;

    StandInVolumes(Path root) {
        this.root = root;
    }

    @Override
    public Path create(VolumeId volume, Bytes quota, long uid, long gid) {
        try {
            quotas.put(volume, quota.value());
            return Files.createDirectories(root.resolve(volume.value()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Path copy(VolumeId from, VolumeId volume, Bytes quota) {
        return create(volume, quota, 0, 0);
    }

    @Override
    public Optional<Path> find(VolumeId volume) {
        return Optional.of(root.resolve(volume.value())).filter(Files::isDirectory);
    }

    @Override
    public Dir open(VolumeId volume) {
        return Dir.open(root.resolve(volume.value()));
    }

    @Override
    public void limit(VolumeId volume, Bytes quota) {
        quotas.put(volume, quota.value());
    }

    @Override
    public Bytes used(VolumeId volume) {
        return new Bytes(used);
    }

    @Override
    public void delete(VolumeId volume) {
        quotas.remove(volume);
        if (find(volume).isPresent()) {
            try (var all = Files.walk(root.resolve(volume.value()))) {
                all.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public List<VolumeId> list() {
        return quotas.keySet().stream().toList();
    }
}
