// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The files of a directory whose content is hostile and may change at any moment. The way to a path is resolved with the directory as its root,
/// so links in it lead somewhere inside; what the path names last is followed only where that is said, and only files are opened. What is
/// made belongs to the given owner. Closes the directory.
public final class Tree implements AutoCloseable {
    private static final int DEEPEST = 200;
    private static final int NAMES = 200_000;
    private static final int CHUNK = 1 << 18;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Dir root;
    private final long uid;
    private final long gid;

    public Tree(Dir root, long uid, long gid) {
        this.root = root;
        this.uid = uid;
        this.gid = gid;
    }

    Dir root() {
        return root;
    }

    long uid() {
        return uid;
    }

    long gid() {
        return gid;
    }

    /// An open file and its facts.
    public record Content(TreeEntry entry, Fd fd) implements AutoCloseable {
        @Override
        public void close() {
            fd.close();
        }
    }

    public TreeEntry stat(String path, boolean follow) {
        var parts = TreePaths.parts("path", path);
        return told(path, () -> {
            if (parts.isEmpty() || follow) {
                try (var fd = root.openInside(TreePaths.join(parts), Open.PATH, 0)) {
                    return new TreeEntry(TreePaths.shown(parts), fd.stat(), null);
                }
            }
            try (var parent = parent(parts)) {
                return entry(parent, parts.getLast(), parts);
            }
        });
    }

    private static TreeEntry entry(Dir dir, String name, List<String> parts) {
        var stat = dir.stat(name);
        return new TreeEntry(TreePaths.shown(parts), stat, stat.type() == Stat.Type.SYMLINK ? dev.redoma.kernel.Names.printable(dir.readlink(name)) : null);
    }

    private Dir parent(List<String> parts) {
        return new Dir(root.openInside(TreePaths.join(parts.subList(0, parts.size() - 1)), Open.RDONLY | Open.DIRECTORY, 0));
    }

    /// What is in a directory, `depth` levels of it; at most `limit` entries.
    public List<TreeEntry> list(String path, int depth, int limit) {
        var parts = TreePaths.parts("path", path);
        return told(path, () -> {
            var out = new ArrayList<TreeEntry>();
            try (var dir = new Dir(root.openInside(TreePaths.join(parts), Open.RDONLY | Open.DIRECTORY, 0))) {
                list(dir, parts, Math.min(depth, DEEPEST), limit, out);
            }
            return out;
        });
    }

    private static void list(Dir dir, List<String> at, int depth, int limit, List<TreeEntry> out) {
        for (var name : dir.list(NAMES).stream().sorted().toList()) {
            if (out.size() == limit) {
                throw Problem.field("depth", "there are more than " + limit + " entries", "a smaller depth, or list the directories one by one");
            }
            var parts = new ArrayList<>(at);
            parts.add(name);
            try {
                var entry = entry(dir, name, parts);
                out.add(entry);
                if (depth > 1 && entry.stat().type() == Stat.Type.DIRECTORY) {
                    try (var below = dir.dirAt(name)) {
                        list(below, parts, depth - 1, limit, out);
                    }
                }
            } catch (KernelException gone) {
                if (!gone.is(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP)) {
                    throw gone;
                }
            }
        }
    }

    /// Opens a regular file, by its facts of that moment.
    public Content open(String path) {
        var parts = TreePaths.parts("path", path);
        return told(path, () -> {
            // Never waits for whoever holds the other end of a FIFO; a device cannot be opened on this mount.
            var fd = root.openInside(TreePaths.join(parts), Open.RDONLY | Open.NONBLOCK, 0);
            var stat = fd.stat();
            if (stat.type() != Stat.Type.FILE) {
                fd.close();
                throw TreePaths.refused(path, TreePaths.kind(stat.type()));
            }
            return new Content(new TreeEntry(TreePaths.shown(parts), stat, null), fd);
        });
    }

    /// Writes a file under another name and gives it its own at the end, when `confirm` agreed; missing directories are made. `mode` -1: that of the
    /// file that it replaces, else 0644.
    public TreeEntry write(String path, int mode, InputStream data, Confirm confirm) throws IOException {
        var parts = named("path", path);
        var temporary = ".redoma-" + HexFormat.of().toHexDigits(RANDOM.nextLong());
        try (var parent = told(path, () -> made(parts.subList(0, parts.size() - 1)))) {
            try {
                Optional<Stat> before = told(path, () -> replaceable(parent, parts.getLast(), path));
                var written = fill(parent, temporary, data, path);
                confirm.with(written);
                return told(path, () -> {
                    parent.chown(temporary, before.map(Stat::uid).orElse(uid), before.map(Stat::gid).orElse(gid));
                    parent.chmod(temporary, mode >= 0 ? mode : before.map(Stat::mode).orElse(0644));
                    parent.replace(temporary, parent, parts.getLast());
                    return entry(parent, parts.getLast(), parts);
                });
            } finally {
                parent.find(temporary).ifPresent(left -> parent.unlink(temporary));
            }
        }
    }

    /// Asked when all bytes are there and before they take the file's name.
    public interface Confirm {
        void with(Written written);
    }

    /// Bytes and their SHA-256 in hex.
    public record Written(long size, String sha256) {}

    private static Optional<Stat> replaceable(Dir parent, String name, String path) {
        var there = parent.find(name);
        if (there.isPresent() && there.get().type() == Stat.Type.DIRECTORY) {
            throw TreePaths.refused(path, "a directory");
        }
        return there.filter(s -> s.type() == Stat.Type.FILE);
    }

    private static Written fill(Dir parent, String name, InputStream data, String path) throws IOException {
        var digest = LayerDigest.sha256();
        long size = 0;
        try (var file = told(path, () -> parent.openAt(name, Open.WRONLY | Open.CREAT | Open.EXCL, 0600)); var arena = java.lang.foreign.Arena.ofConfined()) {
            var segment = arena.allocate(CHUNK, 4096);
            var piece = new byte[CHUNK];
            for (int n; (n = data.read(piece)) >= 0; size += n) {
                digest.update(piece, 0, n);
                java.lang.foreign.MemorySegment.copy(piece, 0, segment, java.lang.foreign.ValueLayout.JAVA_BYTE, 0, n);
                int length = n;
                told(path, () -> {
                    file.write(segment.asSlice(0, length));
                    return true;
                });
            }
        }
        return new Written(size, HexFormat.of().formatHex(digest.digest()));
    }

    private static List<String> named(String field, String path) {
        var parts = TreePaths.parts(field, path);
        if (parts.isEmpty()) {
            throw TreePaths.refused("/", "the root");
        }
        return parts;
    }

    /// A directory and those above it, made where they are missing. `mode` -1: 0755.
    public TreeEntry mkdir(String path, int mode) {
        var parts = TreePaths.parts("path", path);
        return told(path, () -> {
            try (var dir = made(parts)) {
                if (mode >= 0 && !parts.isEmpty()) {
                    dir.fd().chmod(mode);
                }
                return new TreeEntry(TreePaths.shown(parts), dir.fd().stat(), null);
            }
        });
    }

    Dir made(List<String> parts) {
        try {
            return new Dir(root.openInside(TreePaths.join(parts), Open.RDONLY | Open.DIRECTORY, 0));
        } catch (KernelException e) {
            if (!e.is(Errno.ENOENT) || parts.isEmpty()) {
                throw e;
            }
        }
        try (var above = made(parts.subList(0, parts.size() - 1))) {
            above.mkdir(parts.getLast(), 0755);
            above.chown(parts.getLast(), uid, gid);
            above.chmod(parts.getLast(), 0755);
            return above.dirAt(parts.getLast());
        }
    }

    public void move(String from, String to) {
        var source = named("from", from);
        var target = named("to", to);
        told(from, () -> {
            try (var a = parent(source); var b = parent(target)) {
                a.replace(source.getLast(), b, target.getLast());
                return true;
            }
        });
    }

    public void remove(String path, boolean recursive) {
        var parts = named("path", path);
        told(path, () -> {
            try (var parent = parent(parts)) {
                Removal.of(parent, parts.getLast(), recursive);
                return true;
            }
        });
    }

    /// A null leaves that as it is.
    public TreeEntry attributes(String path, int mode, long newUid, long newGid, boolean recursive) {
        var parts = named("path", path);
        return told(path, () -> {
            try (var parent = parent(parts)) {
                dress(parent, parts.getLast(), mode, newUid, newGid, recursive ? DEEPEST : 0);
                return entry(parent, parts.getLast(), parts);
            }
        });
    }

    private static void dress(Dir dir, String name, int mode, long newUid, long newGid, int depth) {
        var stat = dir.stat(name);
        if (newUid >= 0) {
            dir.chown(name, newUid, newGid);
        }
        if (mode >= 0 && stat.type() != Stat.Type.SYMLINK) {
            dir.chmod(name, mode);
        }
        if (depth > 0 && stat.type() == Stat.Type.DIRECTORY) {
            try (var below = dir.dirAt(name)) {
                below.list(NAMES).forEach(n -> dress(below, n, mode, newUid, newGid, depth - 1));
            }
        }
    }

    private static <T> T told(String path, Supplier<T> work) {
        try {
            return work.get();
        } catch (KernelException e) {
            throw TreePaths.refused(e, path);
        }
    }

    @Override
    public void close() {
        root.close();
    }
}
