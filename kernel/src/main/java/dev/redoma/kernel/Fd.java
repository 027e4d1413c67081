// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/// An open file descriptor (close-on-exec). One owner closes it, once or more often; using it afterwards is EBADF.
public final class Fd implements AutoCloseable {
    /// Most files that are read whole are control files of a few lines.
    private static final int FIRST_READ = 4096;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;

    private final AtomicInteger number;
    private final String what;

    Fd(long number, String what) {
        this.number = new AtomicInteger((int) number);
        this.what = what;
    }

    /// Opens a path of the host itself (never one that a sandbox wrote: use `Dir.openInside`).
    public static Fd open(Path path, int flags, int mode) {
        return open(path.toString(), flags, mode);
    }

    static Fd open(String path, int flags, int mode) {
        try (var arena = Arena.ofConfined()) {
            long fd = Sys.retried(Nr.OPENAT, Sys.AT_FDCWD, Sys.text(arena, path), flags | Open.CLOEXEC, mode, 0, 0);
            return new Fd(Sys.check(fd, "openat", path), path);
        }
    }

    public int number() {
        int n = number.get();
        if (n < 0) {
            throw new KernelException(Errno.EBADF, "use of", what);
        }
        return n;
    }

    /// What it was opened from, for errors and logs.
    public String what() {
        return what;
    }

    /// `/proc/self/fd/N`, to name this very file to JDK calls.
    public Path path() {
        return Path.of("/proc/self/fd/" + number());
    }

    public Stat stat() {
        return Stat.of(this, "", Stat.AT_EMPTY_PATH);
    }

    /// Reads into a native segment; 0 at the end.
    public long read(MemorySegment into) {
        return Sys.check(Sys.retried(Nr.READ, number(), into.address(), into.byteSize()), "read", what);
    }

    /// Reads at an offset into a native segment; 0 at the end.
    public long pread(MemorySegment into, long offset) {
        long n = Sys.retried(Nr.PREAD64, number(), into.address(), into.byteSize(), offset, 0, 0);
        return Sys.check(n, "pread64", what);
    }

    /// Where from `offset` on there is data, which is there or further on; -1 where only a hole follows, or nothing. Moves the file's offset.
    public long data(long offset) {
        return seek(offset, SEEK_DATA);
    }

    /// Where from `offset` on there is a hole; the end counts as one, and -1 is beyond it. Moves the file's offset.
    public long hole(long offset) {
        return seek(offset, SEEK_HOLE);
    }

    private long seek(long offset, int whence) {
        long at = Sys.retried(Nr.LSEEK, number(), offset, whence);
        return at == -Errno.ENXIO ? -1 : Sys.check(at, "lseek", what);
    }

    /// Writes all of it at an offset, over what is there.
    public void pwrite(byte[] data, long offset) {
        try (var arena = Arena.ofConfined()) {
            var from = Sys.bytes(arena, data, 0);
            for (long done = 0; done < data.length; ) {
                long n = Sys.retried(Nr.PWRITE64, number(), from.address() + done, data.length - done, offset + done, 0, 0);
                done += Sys.check(n, "pwrite64", what);
            }
        }
    }

    /// Writes all of a native segment.
    public void write(MemorySegment from) {
        for (long done = 0; done < from.byteSize(); ) {
            long n = Sys.retried(Nr.WRITE, number(), from.address() + done, from.byteSize() - done);
            done += Sys.check(n, "write", what);
        }
    }

    public void write(byte[] data) {
        try (var arena = Arena.ofConfined()) {
            write(Sys.bytes(arena, data, 0).asSlice(0, data.length));
        }
    }

    /// Reads from the beginning, at most `limit` bytes.
    public byte[] readAll(int limit) {
        try (var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(Math.clamp(limit, 1, FIRST_READ), 8);
            long done = 0;
            while (done < limit) {
                if (done == buffer.byteSize()) {
                    buffer = arena.allocate(Math.min(limit, 4 * done), 8).copyFrom(buffer);
                }
                long n = pread(buffer.asSlice(done), done);
                if (n == 0) {
                    break;
                }
                done += n;
            }
            return buffer.asSlice(0, done).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /// Makes content and metadata durable. May take long: see `BlockingCalls`.
    public void fsync() {
        Sys.check(Sys.retried(Nr.FSYNC, number(), 0, 0), "fsync", what);
    }

    public void truncate(long size) {
        Sys.check(Sys.retried(Nr.FTRUNCATE, number(), size, 0), "ftruncate", what);
    }

    public void chmod(int mode) {
        Sys.check(Sys.retried(Nr.FCHMOD, number(), mode, 0), "fchmod", what);
    }

    public void chown(long uid, long gid) {
        Sys.check(Sys.retried(Nr.FCHOWN, number(), uid, gid), "fchown", what);
    }

    /// Sets both times.
    public void touch(java.time.Instant modified) {
        try (var arena = Arena.ofConfined()) {
            var times = arena.allocate(32, 8);
            for (int i = 0; i < 2; i++) {
                times.set(ValueLayout.JAVA_LONG, 16L * i, modified.getEpochSecond());
                times.set(ValueLayout.JAVA_LONG, 16L * i + 8, modified.getNano());
            }
            Sys.check(Sys.retried(Nr.UTIMENSAT, number(), 0, times.address(), 0, 0, 0), "utimensat", what);
        }
    }

    /// Takes the exclusive advisory lock; false if somebody else holds it.
    public boolean tryLock() {
        long r = Sys.retried(Nr.FLOCK, number(), 2 | 4, 0);
        if (r == -Errno.EAGAIN) {
            return false;
        }
        Sys.check(r, "flock", what);
        return true;
    }

    public long ioctl(long request, long argument, String name) {
        return Sys.check(Sys.retried(Nr.IOCTL, number(), request, argument), "ioctl " + name, what);
    }

    @Override
    public void close() {
        int n = number.getAndSet(-1);
        if (n >= 0) {
            // Linux frees the number whatever close says; an error here would be one of an earlier write, which fsync reports.
            Sys.raw(Nr.CLOSE, n, 0, 0, 0, 0, 0);
        }
    }

    @Override
    public String toString() {
        return what + " (fd " + number.get() + ")";
    }
}
