// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// An open directory. A `name` is one component of it and is never followed if it is a link; only `openInside` walks a path, and
/// then as if this directory were the root. Thus nothing that a sandbox wrote leads out of it.
public final class Dir implements AutoCloseable {
    static final int REMOVE_DIR = 0x200;
    private static final int NOREPLACE = 1;
    private static final int EXCHANGE = 2;
    private static final long RESOLVE_NO_MAGICLINKS = 0x02;
    private static final long RESOLVE_IN_ROOT = 0x10;
    private static final int LINK_LIMIT = 4096;

    private final Fd fd;

    public Dir(Fd fd) {
        this.fd = fd;
    }

    /// Opens a directory of the host itself.
    public static Dir open(Path path) {
        return new Dir(Fd.open(path, Open.RDONLY | Open.DIRECTORY | Open.NOFOLLOW, 0));
    }

    public Fd fd() {
        return fd;
    }

    /// Opens a path with this directory as its root: `..`, absolute names and links stay inside; `/proc`-style links are refused.
    public Fd openInside(String path, int flags, int mode) {
        try (var arena = Arena.ofConfined()) {
            var how = arena.allocate(24, 8);
            how.set(JAVA_LONG, 0, flags | Open.CLOEXEC);
            how.set(JAVA_LONG, 8, mode);
            how.set(JAVA_LONG, 16, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
            long r = Sys.retried(Nr.OPENAT2, fd.number(), Sys.text(arena, path), how.address(), how.byteSize(), 0, 0);
            return new Fd(Sys.check(r, "openat2", path + on()), path + on());
        }
    }

    /// Opens an entry of this very directory, never through a link.
    public Fd openAt(String name, int flags, int mode) {
        try (var arena = Arena.ofConfined()) {
            long r = Sys.retried(Nr.OPENAT, fd.number(), Sys.text(arena, single(name)), flags | Open.NOFOLLOW | Open.CLOEXEC, mode, 0, 0);
            return new Fd(Sys.check(r, "openat", name + on()), name + on());
        }
    }

    public Dir dirAt(String name) {
        return new Dir(openAt(name, Open.RDONLY | Open.DIRECTORY, 0));
    }

    /// Facts about an entry (of the link itself if it is one).
    public Stat stat(String name) {
        return Stat.of(fd, single(name), 0);
    }

    public Optional<Stat> find(String name) {
        try {
            return Optional.of(stat(name));
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public boolean has(String name) {
        return find(name).isPresent();
    }

    /// All names but `.` and `..`, in the kernel's order. Refuses (E2BIG) more than `limit`.
    public List<String> list(int limit) {
        return Listing.of(this, limit);
    }

    /// The target of a link.
    public String readlink(String name) {
        try (var arena = Arena.ofConfined()) {
            var out = arena.allocate(LINK_LIMIT, 1);
            long n = Sys.retried(Nr.READLINKAT, fd.number(), Sys.text(arena, single(name)), out.address(), LINK_LIMIT, 0, 0);
            Sys.check(n, "readlinkat", name + on());
            return Names.decode(out.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /// The process's umask applies to `mode` here and in `mkfifo`: set it exactly with `chmod`.
    public void mkdir(String name, int mode) {
        onName(Nr.MKDIRAT, "mkdirat", name, mode, 0);
    }

    public void mkfifo(String name, int mode) {
        onName(Nr.MKNODAT, "mknodat", name, Stat.Type.FIFO.bits | mode, 0);
    }

    public void mknod(String name, Stat.Type type, int mode, Stat.Device device) {
        long dev = (device.minor() & 0xffL) | (device.major() & 0xfffL) << 8 | (device.minor() & ~0xffL) << 12;
        onName(Nr.MKNODAT, "mknodat", name, type.bits | mode, dev);
    }

    public void unlink(String name) {
        onName(Nr.UNLINKAT, "unlinkat", name, 0, 0);
    }

    public void rmdir(String name) {
        onName(Nr.UNLINKAT, "unlinkat", name, REMOVE_DIR, 0);
    }

    public void chown(String name, long uid, long gid) {
        try (var arena = Arena.ofConfined()) {
            long r = Sys.retried(Nr.FCHOWNAT, fd.number(), Sys.text(arena, single(name)), uid, gid, Stat.AT_SYMLINK_NOFOLLOW, 0);
            Sys.check(r, "fchownat", name + on());
        }
    }

    /// Sets the mode of an entry that is no link.
    public void chmod(String name, int mode) {
        try (var entry = openAt(name, Open.PATH, 0); var arena = Arena.ofConfined()) {
            var path = Sys.text(arena, "/proc/self/fd/" + entry.number());
            Sys.check(Sys.retried(Nr.CHMOD, path, mode, 0), "chmod", name + on());
        }
    }

    public void touch(String name, Instant modified) {
        try (var arena = Arena.ofConfined()) {
            var times = arena.allocate(32, 8);
            for (int i = 0; i < 2; i++) {
                times.set(JAVA_LONG, 16L * i, modified.getEpochSecond());
                times.set(JAVA_LONG, 16L * i + 8, modified.getNano());
            }
            long r = Sys.retried(
                    Nr.UTIMENSAT, fd.number(), Sys.text(arena, single(name)), times.address(), Stat.AT_SYMLINK_NOFOLLOW, 0, 0);
            Sys.check(r, "utimensat", name + on());
        }
    }

    public void symlink(String target, String name) {
        try (var arena = Arena.ofConfined()) {
            long r = Sys.retried(Nr.SYMLINKAT, Sys.text(arena, target), fd.number(), Sys.text(arena, single(name)));
            Sys.check(r, "symlinkat", name + on());
        }
    }

    /// Makes a hard link to an entry of another directory (to the link itself if it is one).
    public void link(Dir from, String existing, String name) {
        try (var arena = Arena.ofConfined()) {
            long r = Sys.retried(
                    Nr.LINKAT, from.fd.number(), Sys.text(arena, single(existing)), fd.number(), Sys.text(arena, single(name)), 0, 0);
            Sys.check(r, "linkat", name + on());
        }
    }

    /// Moves an entry; refuses (EEXIST) to replace one.
    public void rename(String name, Dir to, String newName) {
        rename(name, to, newName, NOREPLACE);
    }

    /// Moves an entry over whatever has that name.
    public void replace(String name, Dir to, String newName) {
        rename(name, to, newName, 0);
    }

    /// Swaps two entries at once.
    public void exchange(String name, Dir other, String otherName) {
        rename(name, other, otherName, EXCHANGE);
    }

    private void rename(String name, Dir to, String newName, int flags) {
        try (var arena = Arena.ofConfined()) {
            long r = Sys.retried(
                    Nr.RENAMEAT2, fd.number(), Sys.text(arena, single(name)), to.fd.number(), Sys.text(arena, single(newName)), flags, 0);
            Sys.check(r, "renameat2", name + " to " + newName + on());
        }
    }

    private void onName(int number, String call, String name, long a, long b) {
        try (var arena = Arena.ofConfined()) {
            long r = Sys.retried(number, fd.number(), Sys.text(arena, single(name)), a, b, 0, 0);
            Sys.check(r, call, name + on());
        }
    }

    static String single(String name) {
        if (name.isEmpty() || name.indexOf('/') >= 0 || name.indexOf('\0') >= 0 || name.equals("..")) {
            throw new KernelException(Errno.EINVAL, "use of", "'" + name + "' as one component");
        }
        return name;
    }

    private String on() {
        return " in " + fd.what();
    }

    @Override
    public void close() {
        fd.close();
    }
}
