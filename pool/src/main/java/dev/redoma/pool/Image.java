// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.FsStat;
import dev.redoma.kernel.LoopDevice;
import dev.redoma.kernel.Open;
import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The sparse file that carries a pool, and the loop device on it.
record Image(Path file) {
    private static final long CAP = 512L << 30;
    /// Below this Btrfs mixes data and metadata, and a single large write fills it.
    private static final long LEAST = 256L << 20;

    /// Makes it if it is not there (complete or not at all), grows it if it is smaller than wanted.
    void prepare(Optional<Bytes> wanted) {
        if (!Files.exists(file)) {
            make(wanted.map(Bytes::value).orElseGet(this::defaultSize));
        } else if (wanted.isPresent() && wanted.get().value() > size()) {
            truncate(file, Open.RDWR, wanted.get().value());
        }
    }

    private void make(long size) {
        if (size < LEAST) {
            throw Problem.of(Code.NO_CAPACITY, "a pool of " + new Bytes(size) + " is too small", "Free disk space or set pool.size to 256MiB or more.")
                    .raise();
        }
        var half = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(half);
            truncate(half, Open.RDWR | Open.CREAT | Open.EXCL, size);
            Mkfs.btrfs(half);
            try (var fd = Fd.open(half, Open.RDWR, 0)) {
                fd.fsync();
            }
            Files.move(half, file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void truncate(Path path, int flags, long size) {
        try (var fd = Fd.open(path, flags | Open.NOFOLLOW, 0600)) {
            fd.truncate(size);
        }
    }

    private long defaultSize() {
        try (var dir = Dir.open(Objects.requireNonNull(file.getParent()))) {
            long free = FsStat.of(dir.fd()).available();
            return Math.min(CAP, free / 5 * 4) & -(1L << 20);
        }
    }

    private long size() {
        try (var fd = Fd.open(file, Open.RDONLY, 0)) {
            return fd.stat().size();
        }
    }

    /// The loop device that has this file already (a mount namespace elsewhere may hold it), so that one file system never
    /// appears on two devices.
    @Nullable Path attached() {
        try (var devices = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
            for (var device : devices) {
                var backing = device.resolve("loop/backing_file");
                if (Files.exists(backing) && Files.readString(backing).strip().equals(file.toString())) {
                    return Path.of("/dev").resolve(device.getFileName());
                }
            }
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    LoopDevice attach() {
        return LoopDevice.attach(file);
    }
}
