// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Holds a data directory for one server. The kernel lets go when the process ends, however it ends.
final class DataLock implements AutoCloseable {
    private final FileChannel channel;

    private DataLock(FileChannel channel) {
        this.channel = channel;
    }

    /// Makes the directory (0700) where it is missing.
    static DataLock take(Path dataDir) {
        FileChannel channel = null;
        try {
            Files.createDirectories(dataDir);
            Files.setPosixFilePermissions(dataDir, PosixFilePermissions.fromString("rwx------"));
            channel = FileChannel.open(dataDir.resolve("lock"), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            if (lock(channel) == null) {
                var holder = Files.readString(dataDir.resolve("lock")).strip();
                channel.close();
                throw Problem.of(Code.WRONG_STATE, "Another server (process " + holder + ") serves " + dataDir + ".", "Stop it first: redoma down.").raise();
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
            return new DataLock(channel);
        } catch (IOException failed) {
            throw Problem.of(Code.HOST_FAILED, "The data directory " + dataDir + " cannot be used: " + failed.getMessage(), "Choose one with --data.").raise(failed);
        }
    }

    /// Whether another process holds it. Not to be asked of one that this process holds: to look would let go of it.
    static boolean held(Path dataDir) {
        var file = dataDir.resolve("lock");
        if (!Files.exists(file)) {
            return false;
        }
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE); var lock = lock(channel)) {
            return lock == null;
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException ourOwn) {
            return null;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }
}
