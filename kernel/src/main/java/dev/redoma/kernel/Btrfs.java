// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;

/// Subvolumes, snapshots and quotas of Btrfs, by ioctl. Those that wait for a commit of the file system (snapshot, sync) take
/// milliseconds: call them through `BlockingCalls`.
public final class Btrfs {
    private static final long RESIZE = write(3, 4096);
    private static final long SYNC = 0x9408;
    private static final long SNAP_DESTROY = write(15, 4096);
    private static final long INO_LOOKUP = 0xC0000000L | 4096L << 16 | 0x9400 | 18;
    private static final long SNAP_CREATE_V2 = write(23, 4096);
    private static final long SUBVOL_CREATE_V2 = write(24, 4096);
    private static final long SUBVOL_GETFLAGS = 0x80000000L | 8L << 16 | 0x9400 | 25;
    private static final long SUBVOL_SETFLAGS = write(26, 8);
    private static final long FS_INFO = 0x80000000L | 1024L << 16 | 0x9400 | 31;
    private static final long QUOTA_CTL = 0xC0000000L | 16L << 16 | 0x9400 | 40;
    private static final long QGROUP_LIMIT = 0x80000000L | 48L << 16 | 0x9400 | 43;
    private static final long QUOTA_RESCAN = write(44, 64);
    private static final long READ_ONLY = 2;
    private static final long MAX_REFERENCED = 1;
    private static final long FIRST_FREE_OBJECT = 256;
    private static final int V2_NAME_AT = 56;
    private static final int NAME_LIMIT = 255;

    /// How bytes are charged: to the subvolume that wrote them (simple, kernel 6.7), or to all that refer to them (classic).
    public enum Quota { SIMPLE, CLASSIC }

    private Btrfs() {}

    private static long write(int number, long size) {
        return 0x40000000L | size << 16 | 0x9400 | number;
    }

    public static void createSubvolume(Dir parent, String name) {
        try (var arena = Arena.ofConfined()) {
            var args = arena.allocate(4096, 8);
            name(args, V2_NAME_AT, name);
            parent.fd().ioctl(SUBVOL_CREATE_V2, args.address(), "SUBVOL_CREATE " + name);
        }
    }

    /// `source` is the root directory of a subvolume.
    public static void snapshot(Dir source, Dir parent, String name, boolean readOnly) {
        try (var arena = Arena.ofConfined()) {
            var args = arena.allocate(4096, 8);
            args.set(JAVA_LONG, 0, source.fd().number());
            args.set(JAVA_LONG, 16, readOnly ? READ_ONLY : 0);
            name(args, V2_NAME_AT, name);
            parent.fd().ioctl(SNAP_CREATE_V2, args.address(), "SNAP_CREATE " + name);
        }
    }

    /// The name is gone at once; the space is freed in the background (`sync` sets that off).
    public static void destroy(Dir parent, String name) {
        try (var arena = Arena.ofConfined()) {
            var args = arena.allocate(4096, 8);
            name(args, 8, name);
            parent.fd().ioctl(SNAP_DESTROY, args.address(), "SNAP_DESTROY " + name);
        }
    }

    private static void name(MemorySegment args, long at, String name) {
        var bytes = Names.encode(Dir.single(name));
        if (bytes.length > NAME_LIMIT) {
            throw new KernelException(Errno.ENAMETOOLONG, "use of", name);
        }
        MemorySegment.copy(bytes, 0, args, ValueLayout.JAVA_BYTE, at, bytes.length);
    }

    /// True if this is the root directory of a subvolume.
    public static boolean isSubvolume(Stat stat) {
        return stat.type() == Stat.Type.DIRECTORY && stat.inode() == FIRST_FREE_OBJECT;
    }

    public static void setReadOnly(Dir subvolume) {
        try (var arena = Arena.ofConfined()) {
            var flags = arena.allocate(JAVA_LONG);
            subvolume.fd().ioctl(SUBVOL_GETFLAGS, flags.address(), "SUBVOL_GETFLAGS");
            flags.set(JAVA_LONG, 0, flags.get(JAVA_LONG, 0) | READ_ONLY);
            subvolume.fd().ioctl(SUBVOL_SETFLAGS, flags.address(), "SUBVOL_SETFLAGS");
        }
    }

    /// Number of the subvolume that a directory lies on.
    public static long subvolumeId(Dir dir) {
        try (var arena = Arena.ofConfined()) {
            var args = arena.allocate(4096, 8);
            args.set(JAVA_LONG, 8, FIRST_FREE_OBJECT);
            dir.fd().ioctl(INO_LOOKUP, args.address(), "INO_LOOKUP");
            return args.get(JAVA_LONG, 0);
        }
    }

    /// Commits the file system, and wakes the cleaner that frees destroyed subvolumes.
    public static void sync(Dir any) {
        any.fd().ioctl(SYNC, 0, "SYNC");
    }

    /// UUID as in `/sys/fs/btrfs`.
    public static String uuid(Dir any) {
        try (var arena = Arena.ofConfined()) {
            var args = arena.allocate(1024, 8);
            any.fd().ioctl(FS_INFO, args.address(), "FS_INFO");
            var hex = HexFormat.of().formatHex(args.asSlice(16, 16).toArray(ValueLayout.JAVA_BYTE));
            return hex.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
        }
    }

    /// Grows the file system to what its device now has.
    public static void growToDevice(Dir any) {
        try (var arena = Arena.ofConfined()) {
            var args = arena.allocate(4096, 8);
            name(args, 8, "max");
            any.fd().ioctl(RESIZE, args.address(), "RESIZE");
        }
    }

    public static void enableQuota(Dir any, Quota kind) {
        try (var arena = Arena.ofConfined()) {
            var args = arena.allocate(16, 8);
            args.set(JAVA_LONG, 0, kind == Quota.SIMPLE ? 4 : 1);
            any.fd().ioctl(QUOTA_CTL, args.address(), "QUOTA_CTL " + kind);
        }
    }

    /// Counts anew in the background; needed when the kernel says that its counts are inconsistent (classic only).
    public static void startRescan(Dir any) {
        try (var arena = Arena.ofConfined()) {
            any.fd().ioctl(QUOTA_RESCAN, arena.allocate(64, 8).address(), "QUOTA_RESCAN");
        }
    }

    /// Sets the hard limit of the subvolume that a directory lies on: writes beyond are EDQUOT.
    public static void limit(Dir subvolume, long bytes) {
        try (var arena = Arena.ofConfined()) {
            var args = arena.allocate(48, 8);
            args.set(JAVA_LONG, 8, MAX_REFERENCED);
            args.set(JAVA_LONG, 16, bytes);
            subvolume.fd().ioctl(QGROUP_LIMIT, args.address(), "QGROUP_LIMIT");
        }
    }
}
