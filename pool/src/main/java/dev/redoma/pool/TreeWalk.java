// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/// Gives what is below a directory to an archive: directories first, names in order. Follows no link, opens nothing but directories and
/// files; sockets and devices are left out, and so is what vanishes meanwhile. One thread.
final class TreeWalk implements AutoCloseable {
    private static final int DEEPEST = 200;
    private static final int NAMES = 200_000;
    private static final int ENTRIES = 2_000_000;
    private static final int CHUNK = 1 << 16;

    private final ArchiveSink to;
    private final boolean links;
    private final long uidBase;
    private final Map<Long, String> seen = new HashMap<>();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(CHUNK, 4096);
    private int entries;

    /// `links`: a file of several names is written once, and then as a hard link. `uidBase`: what owners count from.
    TreeWalk(ArchiveSink to, boolean links, long uidBase) {
        this.uidBase = uidBase;
        this.to = to;
        this.links = links;
    }

    void below(Dir dir) throws IOException {
        below(dir, "", 1);
    }

    private void below(Dir dir, String prefix, int depth) throws IOException {
        if (depth > DEEPEST) {
            throw new IOException("the tree is deeper than " + DEEPEST + " directories");
        }
        for (var name : dir.list(NAMES).stream().sorted().toList()) {
            try {
                entry(dir, name, prefix + name, depth);
            } catch (KernelException gone) {
                if (!gone.is(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP)) {
                    throw gone;
                }
            }
        }
    }

    void entry(Dir dir, String name, String path, int depth) throws IOException {
        if (++entries > ENTRIES) {
            throw new IOException("the tree has more than " + ENTRIES + " entries");
        }
        var stat = dir.stat(name);
        switch (stat.type()) {
            case DIRECTORY -> {
                to.put(of(TarEntry.Kind.DIRECTORY, dir, name, path, stat, 0, ""), ArchiveSink.Content.NONE);
                try (var inner = dir.dirAt(name)) {
                    below(inner, path + "/", depth + 1);
                }
            }
            case SYMLINK -> to.put(of(TarEntry.Kind.SYMLINK, dir, name, path, stat, 0, dir.readlink(name)), ArchiveSink.Content.NONE);
            case FIFO -> to.put(of(TarEntry.Kind.FIFO, dir, name, path, stat, 0, ""), ArchiveSink.Content.NONE);
            case FILE -> file(dir, name, path);
            case SOCKET, CHAR, BLOCK -> {}
        }
    }

    private void file(Dir dir, String name, String path) throws IOException {
        try (var file = dir.openAt(name, Open.RDONLY | Open.NONBLOCK, 0)) {
            var stat = file.stat();
            if (stat.type() != Stat.Type.FILE) {
                return;
            }
            var first = links && stat.links() > 1 ? seen.putIfAbsent(stat.inode(), path) : null;
            if (first != null) {
                to.put(of(TarEntry.Kind.HARDLINK, dir, name, path, stat, 0, first), ArchiveSink.Content.NONE);
            } else {
                to.put(of(TarEntry.Kind.FILE, dir, name, path, stat, stat.size(), ""), new Bytes(file, stat.size()));
            }
        }
    }

    private TarEntry of(TarEntry.Kind kind, Dir dir, String name, String path, Stat stat, long size, String link) {
        boolean may = kind == TarEntry.Kind.FILE || kind == TarEntry.Kind.DIRECTORY;
        return new TarEntry(kind, path, stat.mode(), inside(stat.uid()), inside(stat.gid()), size, stat.modified(), link, may ? attributes(dir, name) : Map.of());
    }

    private long inside(long id) {
        return id >= uidBase && id - uidBase < 65_536 ? id - uidBase : 0;
    }

    private static Map<String, byte[]> attributes(Dir dir, String name) {
        var out = new LinkedHashMap<String, byte[]>();
        for (var key : Xattrs.list(dir, name)) {
            if (key.startsWith("user.") && !key.startsWith("user.overlay.")) {
                Xattrs.get(dir, name, key).ifPresent(value -> out.put(key, value));
            }
        }
        return out;
    }

    /// What was told of its length, and no more, though the file may grow.
    private final class Bytes implements ArchiveSink.Content {
        private final Fd file;
        private long left;

        Bytes(Fd file, long size) {
            this.file = file;
            this.left = size;
        }

        @Override
        public int read(byte[] into) {
            long wanted = Math.min(left, Math.min(into.length, CHUNK));
            long n = wanted == 0 ? 0 : file.read(buffer.asSlice(0, wanted));
            if (n == 0) {
                return -1;
            }
            MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, into, 0, (int) n);
            left -= n;
            return (int) n;
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
