// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Writes a checked archive below a directory that may be hostile. No component of any way is ever followed if it is a link, also one that
/// was put there after the check. One thread.
final class Unpacking implements AutoCloseable {
    private static final int CHUNK = 1 << 17;

    private final Dir root;
    private final long uid;
    private final long gid;
    private final ImportLimits limits;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment segment = arena.allocate(CHUNK, 4096);
    private final byte[] piece = new byte[CHUNK];
    private final List<TarEntry> directories = new ArrayList<>();

    Unpacking(Dir root, long uid, long gid, ImportLimits limits) {
        this.root = root;
        this.uid = uid;
        this.gid = gid;
        this.limits = limits;
    }

    /// Refuses a member for which the tree has something that cannot stay: a directory where it is none, or the other way round, or a link above it.
    void check(ArchiveReader reader) throws IOException {
        for (var entry = reader.next(); entry != null; entry = reader.next()) {
            check(entry);
        }
    }

    private void check(TarEntry entry) throws TarFlaw {
        var path = TreePath.of(entry.name(), limits);
        var here = root;
        try {
            for (int i = 0; i < path.parts().size(); i++) {
                var there = here.find(path.parts().get(i));
                if (there.isEmpty()) {
                    return;
                }
                boolean last = i == path.parts().size() - 1;
                boolean directory = there.get().type() == Stat.Type.DIRECTORY;
                if (directory != (!last || entry.kind() == TarEntry.Kind.DIRECTORY)) {
                    throw new TarFlaw(TreePaths.kind(there.get().type()) + " is in its way").at(entry.name());
                }
                if (!last) {
                    here = next(here, path.parts().get(i));
                }
            }
        } finally {
            leave(here);
        }
    }

    private Dir next(Dir here, String name) {
        try {
            return here.dirAt(name);
        } finally {
            leave(here);
        }
    }

    private void leave(Dir dir) {
        if (dir != root) {
            dir.close();
        }
    }

    void write(ArchiveReader reader) throws IOException {
        for (var entry = reader.next(); entry != null; entry = reader.next()) {
            try {
                write(entry, reader);
            } catch (KernelException e) {
                throw Incoming.refused(e, entry);
            }
        }
        directories.sort(Comparator.comparingInt((TarEntry e) -> e.name().length()).reversed());
        for (var entry : directories) {
            finish(entry);
        }
    }

    private void write(TarEntry entry, ArchiveReader reader) throws IOException {
        var path = TreePath.of(entry.name(), limits);
        if (path.isRoot()) {
            return; // it was there before
        }
        var parent = made(path.parents());
        try {
            var name = path.last();
            if (entry.kind() != TarEntry.Kind.DIRECTORY) {
                parent.find(name).ifPresent(old -> parent.unlink(name));
            }
            switch (entry.kind()) {
                case DIRECTORY -> directory(entry, parent, name);
                case SYMLINK -> parent.symlink(entry.link(), name);
                case FIFO -> parent.mkfifo(name, 0600);
                case HARDLINK -> link(entry, parent, name);
                default -> file(parent, name, reader);
            }
            if (entry.kind() != TarEntry.Kind.HARDLINK && entry.kind() != TarEntry.Kind.DIRECTORY) {
                dress(entry, parent, name);
            }
        } finally {
            leave(parent);
        }
    }

    private Dir made(List<String> parts) {
        var here = root;
        for (var part : parts) {
            if (!here.has(part)) {
                here.mkdir(part, 0755);
                here.chown(part, uid, gid);
                here.chmod(part, 0755);
            }
            here = next(here, part);
        }
        return here;
    }

    private void directory(TarEntry entry, Dir parent, String name) {
        if (!parent.has(name)) {
            parent.mkdir(name, 0700);
            parent.chown(name, uid, gid);
        }
        directories.add(entry);
    }

    private void link(TarEntry entry, Dir parent, String name) throws TarFlaw {
        var target = TreePath.of(entry.link(), limits);
        var from = made(target.parents());
        try {
            parent.link(from, target.last(), name);
        } finally {
            leave(from);
        }
    }

    private void file(Dir parent, String name, ArchiveReader reader) throws IOException {
        try (var file = parent.openAt(name, Open.WRONLY | Open.CREAT | Open.EXCL, 0600)) {
            for (int n; (n = reader.read(piece)) > 0; ) {
                MemorySegment.copy(piece, 0, segment, ValueLayout.JAVA_BYTE, 0, n);
                file.write(segment.asSlice(0, n));
            }
        }
    }

    /// Owner before mode, which a change of owner cuts down; the time last.
    private void dress(TarEntry entry, Dir parent, String name) {
        parent.chown(name, uid, gid);
        if (entry.kind() != TarEntry.Kind.SYMLINK) {
            parent.chmod(name, entry.mode());
        }
        if (entry.kind() == TarEntry.Kind.FILE || entry.kind() == TarEntry.Kind.DIRECTORY) {
            entry.xattrs().forEach((key, value) -> {
                if (key.startsWith("user.") && value.length <= limits.attributes()) {
                    Xattrs.set(parent, name, key, value);
                }
            });
        }
        parent.touch(name, entry.modified());
    }

    /// The deepest first; one that is gone meanwhile has nothing to be set.
    private void finish(TarEntry entry) throws TarFlaw {
        var path = TreePath.of(entry.name(), limits);
        var here = root;
        try {
            for (var part : path.parents()) {
                here = next(here, part);
            }
            if (here.stat(path.last()).type() == Stat.Type.DIRECTORY) {
                dress(entry, here, path.last());
            }
        } catch (KernelException e) {
            if (!e.is(Errno.ENOENT, Errno.ENOTDIR)) {
                throw e;
            }
        } finally {
            leave(here);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
