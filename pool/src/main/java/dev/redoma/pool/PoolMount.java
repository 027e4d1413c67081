// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Btrfs;
import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.FsStat;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Mounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// Brings the pool's file system to its place: `<data>/pool`, or the directory that the operator gave. One that an earlier server
/// left mounted is used as it is (not `fresh`).
record PoolMount(Path root, boolean mounted, boolean fresh) {
    private static final long FLAGS = Mounts.NOSUID | Mounts.NODEV | Mounts.NOEXEC | Mounts.NOATIME;
    /// The cleaner that frees deleted subvolumes runs after a commit: every five seconds, not thirty. Discarded blocks become
    /// holes of a sparse file again.
    private static final String OPTIONS = "discard=async,commit=5";

    static PoolMount open(Path data, Backing backing) {
        return switch (backing) {
            case Backing.SparseFile sparse -> file(data, sparse);
            case Backing.Device device -> device(data, device.device());
            case Backing.Directory directory -> directory(directory.directory());
        };
    }

    private static PoolMount file(Path data, Backing.SparseFile sparse) {
        var place = place(data);
        var image = new Image(data.resolve("pool.img"));
        var present = Mounts.at(place);
        if (present.isPresent()) {
            var device = image.attached();
            reuse(present.get(), device == null ? "" : device.toString());
            return new PoolMount(place, true, false);
        }
        image.prepare(sparse.size());
        var attached = image.attached();
        if (attached != null) {
            mount(attached, place);
        } else {
            try (var loop = image.attach()) {
                mount(loop.path(), place);
            }
        }
        return new PoolMount(place, true, true);
    }

    private static PoolMount device(Path data, Path device) {
        var place = place(data);
        var present = Mounts.at(place);
        if (present.isPresent()) {
            reuse(present.get(), device.toString());
            return new PoolMount(place, true, false);
        }
        try {
            mount(device, place);
        } catch (KernelException e) {
            if (!e.is(Errno.EINVAL)) {
                throw e;
            }
            Mkfs.btrfs(device);
            mount(device, place);
        }
        return new PoolMount(place, true, true);
    }

    private static PoolMount directory(Path directory) {
        try (var dir = Dir.open(directory)) {
            if (FsStat.of(dir.fd()).type() != FsStat.BTRFS) {
                throw Problem.of(Code.HOST_FAILED, "the pool's directory is not on Btrfs", "Give a directory on Btrfs, a device, or nothing.")
                        .raise();
            }
            dir.fd().chmod(0700);
        }
        return new PoolMount(directory, false, true);
    }

    private static void reuse(Mounts.Mount present, String source) {
        if (!present.type().equals("btrfs") || !present.source().equals(source)) {
            throw Problem.of(
                            Code.HOST_FAILED,
                            "something else (" + present.type() + " of " + present.source() + ") is mounted where the pool belongs",
                            "Unmount it, or give another data directory.")
                    .raise();
        }
    }

    private static void mount(Path device, Path place) {
        try {
            Mounts.mount(device.toString(), place, "btrfs", FLAGS, OPTIONS);
        } catch (KernelException e) {
            throw e.is(Errno.ENODEV)
                    ? Problem.of(Code.HOST_FAILED, "this kernel has no Btrfs", "Load its module (modprobe btrfs), or use a kernel that has it.").raise(e)
                    : e;
        }
        Mounts.makePrivate(place);
        try (var dir = Dir.open(place)) {
            // The sparse file may have grown since.
            Btrfs.growToDevice(dir);
            dir.fd().chmod(0700);
        }
    }

    private static Path place(Path data) {
        try {
            var place = data.resolve("pool");
            if (!Files.isDirectory(place)) {
                Files.createDirectory(place, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            return place.toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void unmount(Path data) {
        try {
            var place = data.toRealPath().resolve("pool");
            while (Mounts.at(place).isPresent()) {
                Mounts.unmount(place, 0);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Unmounts; the loop device frees itself. EBUSY while anything uses it.
    void release() {
        if (mounted) {
            Mounts.unmount(root, 0);
        }
    }
}
