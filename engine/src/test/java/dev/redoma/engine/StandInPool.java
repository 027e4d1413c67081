// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.wire.Change;
import dev.redoma.pool.LayerId;
import dev.redoma.pool.Pool;
import dev.redoma.pool.contents.Bounds;
import dev.redoma.pool.contents.ContentClass;
import dev.redoma.pool.contents.Manifest;
import dev.redoma.pool.contents.Order;
import dev.redoma.pool.contents.Scrub;
import dev.redoma.pool.contents.Tally;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A pool of plain directories, without quotas or copies-on-write: enough for what the lifecycle decides by itself.
final class StandInPool implements Pool {
    static final LayerId LAYER = new LayerId("sha256:" + "ab".repeat(32));
    final Map<SandboxId, Long> quotas = new ConcurrentHashMap<>();
    volatile Space space = new Space(1L << 40, 1L << 41);
    volatile boolean unreadable;
    volatile boolean failing;
    private final Path root;
    private final Set<LayerId> layers = ConcurrentHashMap.newKeySet();

    private final StandInVolumes volumes;

    StandInPool(Path root) {
        this.root = root;
        this.volumes = new StandInVolumes(root.resolve("volumes"));
        layers.add(LAYER);
    }

    @Override
    public Path root() {
        return root;
    }

    @Override
    public Imported importTar(InputStream tar, Consumer<Progress> progress, Consumer<LayerId> named) {
        try {
            String digest = java.util.HexFormat.of().formatHex(java.security.MessageDigest.getInstance("SHA-256").digest(tar.readAllBytes()));
            var id = new LayerId("sha256:" + digest);
            named.accept(id);
            layers.add(id);
            make(root.resolve("layers").resolve(id.hex()).resolve("etc"));
            Files.writeString(root.resolve("layers").resolve(id.hex()).resolve("etc/passwd"), "root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/sh\n");
            return new Imported(id, 0, 0, 0);
        } catch (IOException | java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Path layerFor(LayerId layer, String tenant, @Nullable SandboxId perSandbox) {
        return root.resolve("layers").resolve(layer.hex());
    }

    @Override
    public List<LayerId> layers() {
        return List.copyOf(layers);
    }

    @Override
    public Bytes sizeOf(LayerId layer) {
        return new Bytes(1);
    }

    @Override
    public void deleteLayer(LayerId layer) {
        layers.remove(layer);
    }

    private Path dir(SandboxId sandbox) {
        return root.resolve("disks").resolve(sandbox.value());
    }

    @Override
    public Disk createDisk(SandboxId sandbox, Bytes quota, long uidBase) {
        if (failing) {
            throw dev.redoma.model.Problem.of(dev.redoma.model.Code.HOST_FAILED, "No disk.", "Look.").raise();
        }
        quotas.put(sandbox, quota.value());
        Path at = dir(sandbox);
        make(at.resolve("upper"));
        make(at.resolve("work"));
        return new Disk(at, at.resolve("upper"), at.resolve("work"));
    }

    @Override
    public Optional<Disk> disk(SandboxId sandbox) {
        Path at = dir(sandbox);
        return Files.isDirectory(at) ? Optional.of(new Disk(at, at.resolve("upper"), at.resolve("work"))) : Optional.empty();
    }

    @Override
    public Disk resetDisk(SandboxId sandbox, Bytes quota, long uidBase) {
        deleteDisk(sandbox);
        return createDisk(sandbox, quota, uidBase);
    }

    @Override
    public void quota(SandboxId sandbox, Bytes quota) {
        quotas.put(sandbox, quota.value());
    }

    @Override
    public void deleteDisk(SandboxId sandbox) {
        if (failing) {
            throw dev.redoma.model.Problem.of(dev.redoma.model.Code.HOST_FAILED, "No disk.", "Look.").raise();
        }
        delete(dir(sandbox));
    }

    @Override
    public Bytes used(SandboxId sandbox) {
        return new Bytes(0);
    }

    @Override
    public List<SandboxId> disks() {
        if (unreadable) {
            throw new IllegalStateException("cannot list");
        }
        return names("disks").stream().map(SandboxId::new).toList();
    }

    @Override
    public void copy(SandboxId sandbox, SnapshotId snapshot) {
        copyTree(dir(sandbox).resolve("upper"), half(snapshot));
    }

    @Override
    public void copy(SnapshotId sealed, SnapshotId snapshot) {
        copyTree(root.resolve("saved").resolve(sealed.value()), half(snapshot));
    }

    private Path half(SnapshotId snapshot) {
        return root.resolve("half").resolve(snapshot.value());
    }

    private static void copyTree(Path from, Path to) {
        make(to);
        try (var files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What comes between a copy and its scrubbing, once.
    volatile Runnable beforeScrub = () -> {};

    @Override
    public Map<ContentClass, Tally> scrub(List<SnapshotId> copies, Map<ContentClass, Order> orders) {
        var first = beforeScrub;
        beforeScrub = () -> {};
        first.run();
        return Scrub.run(copies.stream().map(this::half).toList(), orders, Bounds.STANDARD);
    }

    @Override
    public void seal(SnapshotId snapshot) {
        make(root.resolve("saved"));
        try {
            Files.move(half(snapshot), root.resolve("saved").resolve(snapshot.value()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Manifest contents(List<SnapshotId> saved, List<Path> lowers) {
        return Scrub.look(saved.stream().map(s -> root.resolve("saved").resolve(s.value())).toList(), lowers, Bounds.STANDARD);
    }

    @Override
    public Optional<Path> snapshotUpper(SnapshotId snapshot) {
        return Optional.of(root.resolve("saved").resolve(snapshot.value())).filter(Files::isDirectory);
    }

    @Override
    public void deleteSnapshot(SnapshotId snapshot) {
        delete(half(snapshot));
        delete(root.resolve("saved").resolve(snapshot.value()));
    }

    @Override
    public List<SnapshotId> snapshots() {
        return names("saved").stream().map(SnapshotId::new).toList();
    }

    @Override
    public dev.redoma.pool.PoolVolumes volumes() {
        return volumes;
    }

    @Override
    public List<Change> changes(dev.redoma.pool.Compared views, int limit) {
        return List.of();
    }

    @Override
    public void requireRealDirectories(Path upper, List<Path> lowers) {}

    @Override
    public Space space() {
        return space;
    }

    @Override
    public void trim(Set<LayerId> keep) {}

    @Override
    public void close() {}

    private List<String> names(String below) {
        Path dir = root.resolve(below);
        var found = new ArrayList<String>();
        if (Files.isDirectory(dir)) {
            try (var entries = Files.list(dir)) {
                entries.forEach(e -> found.add(e.getFileName().toString()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return found;
    }

    private static void make(Path dir) {
        try {
            Files.createDirectories(dir);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path dir) {
        if (!Files.exists(dir)) {
            return;
        }
        try (var all = Files.walk(dir)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
