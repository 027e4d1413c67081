// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;

/// What the kernel says about one file (`statx`). `mode` holds the permission bits with set-uid, set-gid and sticky; `changed`: when anything of it last was, which nobody can set; `device` is that
/// of a device node, `volume` the one that the file lies on.
public record Stat(
        Type type, int mode, long uid, long gid, long size, long links, long inode, Instant modified, Instant accessed, Instant changed, Device device, Device volume) {

    /// What kind of file.
    public enum Type {
        FILE(0100000), DIRECTORY(0040000), SYMLINK(0120000), FIFO(0010000), SOCKET(0140000), CHAR(0020000), BLOCK(0060000);

        final int bits;

        Type(int bits) {
            this.bits = bits;
        }

        static Type of(int mode) {
            for (var t : values()) {
                if (t.bits == (mode & 0170000)) {
                    return t;
                }
            }
            throw new IllegalStateException("file type " + Integer.toOctalString(mode));
        }
    }

    /// Major and minor number of a device.
    public record Device(int major, int minor) {}

    static final int AT_SYMLINK_NOFOLLOW = 0x100;
    static final int AT_EMPTY_PATH = 0x1000;
    private static final int BASIC = 0x7ff;
    private static final int SIZE = 256;

    static Stat of(Fd at, String name, int flags) {
        try (var arena = Arena.ofConfined()) {
            var out = arena.allocate(SIZE, 8);
            long r = Sys.retried(Nr.STATX, at.number(), Sys.text(arena, name), flags | AT_SYMLINK_NOFOLLOW, BASIC, out.address(), 0);
            Sys.check(r, "statx", name + " in " + at.what());
            return read(out);
        }
    }

    private static Stat read(MemorySegment s) {
        int mode = Short.toUnsignedInt(s.get(JAVA_SHORT, 0x1c));
        return new Stat(
                Type.of(mode),
                mode & 07777,
                Integer.toUnsignedLong(s.get(JAVA_INT, 0x14)),
                Integer.toUnsignedLong(s.get(JAVA_INT, 0x18)),
                s.get(JAVA_LONG, 0x28),
                Integer.toUnsignedLong(s.get(JAVA_INT, 0x10)),
                s.get(JAVA_LONG, 0x20),
                time(s, 0x70),
                time(s, 0x40),
                time(s, 0x60),
                new Device(s.get(JAVA_INT, 0x80), s.get(JAVA_INT, 0x84)),
                new Device(s.get(JAVA_INT, 0x88), s.get(JAVA_INT, 0x8c)));
    }

    private static Instant time(MemorySegment s, long at) {
        return Instant.ofEpochSecond(s.get(JAVA_LONG, at), Integer.toUnsignedLong(s.get(JAVA_INT, at + 8)));
    }
}
