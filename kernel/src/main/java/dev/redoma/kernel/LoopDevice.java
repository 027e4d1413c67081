// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.nio.file.Path;

/// A loop device on a file. It frees itself when the last user (a mount, an open descriptor) is gone, so a killed server leaves none.
/// Close this once it is mounted.
public final class LoopDevice implements AutoCloseable {
    private static final long CTL_GET_FREE = 0x4C82;
    private static final long CONFIGURE = 0x4C0A;
    private static final int CONFIG_SIZE = 304;
    private static final int BLOCK_SIZE_AT = 4;
    private static final int FLAGS_AT = 8 + 52;
    private static final int AUTOCLEAR = 4;
    private static final int DIRECT_IO = 16;
    private static final int SECTOR = 4096;
    private static final int ATTEMPTS = 64;

    private final Fd device;
    private final Path path;

    private LoopDevice(Fd device, Path path) {
        this.device = device;
        this.path = path;
    }

    /// Takes a free loop device. Direct I/O (no second page cache) where the file's file system can do it.
    public static LoopDevice attach(Path file) {
        try (var backing = Fd.open(file, Open.RDWR | Open.NOFOLLOW, 0);
                var control = Fd.open(Path.of("/dev/loop-control"), Open.RDWR, 0)) {
            for (int i = 0; i < ATTEMPTS; i++) {
                var path = Path.of("/dev/loop" + control.ioctl(CTL_GET_FREE, 0, "LOOP_CTL_GET_FREE"));
                var device = Fd.open(path, Open.RDWR, 0);
                if (configure(device, backing)) {
                    return new LoopDevice(device, path);
                }
                device.close();
            }
            throw new KernelException(Errno.EBUSY, "ioctl LOOP_CONFIGURE", "no loop device free for " + file);
        }
    }

    /// False if somebody else was quicker.
    private static boolean configure(Fd device, Fd backing) {
        try (var arena = Arena.ofConfined()) {
            var config = arena.allocate(CONFIG_SIZE, 8);
            config.set(JAVA_INT, 0, backing.number());
            config.set(JAVA_INT, BLOCK_SIZE_AT, SECTOR);
            config.set(JAVA_INT, FLAGS_AT, AUTOCLEAR | DIRECT_IO);
            device.ioctl(CONFIGURE, config.address(), "LOOP_CONFIGURE");
            return true;
        } catch (KernelException e) {
            if (e.is(Errno.EBUSY)) {
                return false;
            }
            device.close();
            throw e;
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() {
        device.close();
    }
}
