// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.wire.Change;
import dev.redoma.pool.LayerId;
import dev.redoma.pool.Pool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A pool of plain directories.
final class PlainPool implements Pool {
    private final Path root;

    PlainPool(Path root) {
        this.root = root;
        run("mkdir", "-p", root.resolve("layers").toString(), root.resolve("disks").toString());
    }

    private static void run(String... command) {
        try {
            var p = new ProcessBuilder(command).inheritIO().start();
            if (p.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command));
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Path root() {
        return root;
    }

    @Override
    public LayerId importTar(InputStream tar, Consumer<Progress> progress) {
        try {
            var bytes = tar.readAllBytes();
            var id = new LayerId("sha256:" + java.util.HexFormat.of().formatHex(java.security.MessageDigest.getInstance("SHA-256").digest(bytes)));
            var dir = root.resolve("layers").resolve(id.hex());
            run("mkdir", "-p", dir.toString());
            var file = Files.write(root.resolve("t.tar"), bytes);
            run("tar", "xpf", file.toString(), "-C", dir.toString());
            return id;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Path layerFor(LayerId layer, String tenant, @Nullable SandboxId perSandbox) {
        return root.resolve("layers").resolve(layer.hex());
    }

    @Override
    public List<LayerId> layers() {
        return names("layers").stream().map(n -> new LayerId("sha256:" + n)).toList();
    }

    @Override
    public Bytes sizeOf(LayerId layer) {
        return new Bytes(1);
    }

    @Override
    public void deleteLayer(LayerId layer) {}

    private Path dir(SandboxId sandbox) {
        return root.resolve("disks").resolve(sandbox.value());
    }

    @Override
    public Disk createDisk(SandboxId sandbox, Bytes quota, long uidBase) {
        var at = dir(sandbox);
        run("mkdir", "-p", at.resolve("upper").toString(), at.resolve("work").toString());
        run("chown", uidBase + ":" + uidBase, at.resolve("upper").toString());
        return new Disk(at, at.resolve("upper"), at.resolve("work"));
    }

    @Override
    public Optional<Disk> disk(SandboxId sandbox) {
        var at = dir(sandbox);
        return Files.isDirectory(at) ? Optional.of(new Disk(at, at.resolve("upper"), at.resolve("work"))) : Optional.empty();
    }

    @Override
    public Disk resetDisk(SandboxId sandbox, Bytes quota, long uidBase) {
        deleteDisk(sandbox);
        return createDisk(sandbox, quota, uidBase);
    }

    @Override
    public void deleteDisk(SandboxId sandbox) {
        run("rm", "-rf", dir(sandbox).toString());
    }

    @Override
    public Bytes used(SandboxId sandbox) {
        return new Bytes(0);
    }

    @Override
    public List<SandboxId> disks() {
        return names("disks").stream().map(SandboxId::new).toList();
    }

    @Override
    public Path snapshot(SandboxId sandbox, SnapshotId snapshot) {
        throw new IllegalStateException();
    }

    @Override
    public Optional<Path> snapshotUpper(SnapshotId snapshot) {
        return Optional.empty();
    }

    @Override
    public void deleteSnapshot(SnapshotId snapshot) {}

    @Override
    public List<SnapshotId> snapshots() {
        return List.of();
    }

    @Override
    public List<Change> changes(Path upper, List<Path> lowers, int limit) {
        return List.of();
    }

    @Override
    public Space space() {
        return new Space(1L << 38, 1L << 39);
    }

    @Override
    public void trim(Set<LayerId> keep) {}

    @Override
    public void close() {}

    private List<String> names(String below) {
        var found = new ArrayList<String>();
        try (var entries = Files.list(root.resolve(below))) {
            entries.forEach(e -> found.add(e.getFileName().toString()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return found;
    }
}
