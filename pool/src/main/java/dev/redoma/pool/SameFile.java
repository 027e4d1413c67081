// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.TreeMap;

/// Compares an entry of an upper with the one that it covers. One thread.
final class SameFile implements AutoCloseable {
    private static final int CHUNK = 1 << 18;

    private final long uidBase;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment left = arena.allocate(CHUNK, 4096);
    private final MemorySegment right = arena.allocate(CHUNK, 4096);

    SameFile(long uidBase) {
        this.uidBase = uidBase;
    }

    /// Same type and same content (or target, or device).
    boolean content(Dir dir, String name, Stat stat, Lowers.Found old) {
        if (stat.type() != old.stat().type()) {
            return false;
        }
        return switch (stat.type()) {
            case FILE -> stat.size() == old.stat().size() && bytes(dir, old.dir(), name);
            case SYMLINK -> dir.readlink(name).equals(old.dir().readlink(name));
            case CHAR, BLOCK -> stat.device().equals(old.stat().device());
            case FIFO, SOCKET, DIRECTORY -> true;
        };
    }

    private boolean bytes(Dir a, Dir b, String name) {
        int flags = Open.RDONLY | Open.NONBLOCK;
        try (var one = a.openAt(name, flags, 0); var other = b.openAt(name, flags, 0)) {
            // It may have been replaced since: what is read is a file, and the one below has an end.
            if (one.stat().type() != Stat.Type.FILE) {
                return false;
            }
            long at = 0;
            while (true) {
                long n = fill(one, left, at);
                if (n != fill(other, right, at) || left.asSlice(0, n).mismatch(right.asSlice(0, n)) >= 0) {
                    return false;
                }
                if (n < CHUNK) {
                    return true;
                }
                at += n;
            }
        }
    }

    private static long fill(Fd fd, MemorySegment buffer, long at) {
        long done = 0;
        while (done < CHUNK) {
            long n = fd.pread(buffer.asSlice(done), at + done);
            if (n == 0) {
                break;
            }
            done += n;
        }
        return done;
    }

    /// Same mode, owner (as seen inside), and attributes that count.
    boolean attributes(Dir dir, String name, Stat stat, Lowers.Found old) {
        return (stat.type() == Stat.Type.SYMLINK || stat.mode() == old.stat().mode())
                && stat.uid() - uidBase == old.stat().uid() - old.uidBase()
                && stat.gid() - uidBase == old.stat().gid() - old.uidBase()
                && xattrs(dir, name).equals(xattrs(old.dir(), name));
    }

    private static TreeMap<String, String> xattrs(Dir dir, String name) {
        var out = new TreeMap<String, String>();
        for (var attribute : Xattrs.list(dir, name)) {
            if (attribute.startsWith("user.") || attribute.equals(FileCapabilities.NAME)) {
                out.put(attribute, Xattrs.get(dir, name, attribute).map(v -> text(attribute, v)).orElse(""));
            }
        }
        return out;
    }

    /// Of capabilities the bits alone: a copy within a user namespace gets another version and root uid.
    private static String text(String attribute, byte[] value) {
        boolean capability = attribute.equals(FileCapabilities.NAME) && value.length >= 20;
        return Arrays.toString(capability ? Arrays.copyOfRange(value, 4, 20) : value);
    }

    @Override
    public void close() {
        arena.close();
    }
}
