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
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Applies members to a directory. Parents are resolved with it as the root (links in them lead somewhere inside); the last
/// component is never followed. One thread.
final class Extraction implements AutoCloseable {
    private static final int CHUNK = 1 << 18;
    private static final long OWNERS = 65_535;

    private final Dir root;
    private final ImportLimits limits;
    private final @Nullable Beneath beneath;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(CHUNK, 4096);
    private final byte[] chunk = new byte[CHUNK];
    private final Map<Long, Instant> directoryTimes = new HashMap<>();
    private final Map<List<String>, Instant> pathTimes = new LinkedHashMap<>();
    private Optional<Parent> last = Optional.empty();
    private boolean lastIsStale;
    private int devices;
    private int capabilities;
    private int attributes;

    private record Parent(List<String> parts, Dir dir) {}

    /// `beneath`: what the layers below show, where this is a layer of an image; null for a whole root file system.
    Extraction(Dir root, ImportLimits limits, @Nullable Beneath beneath) {
        this.root = root;
        this.limits = limits;
        this.beneath = beneath;
    }

    void take(TarEntry entry, TarReader content) throws IOException {
        if (entry.uid() < 0 || entry.uid() > OWNERS || entry.gid() < 0 || entry.gid() > OWNERS) {
            throw new TarFlaw("its owner " + entry.uid() + ":" + entry.gid() + " is not within 0 to 65535");
        }
        var path = TreePath.of(entry.name(), limits);
        if (path.isRoot()) {
            attributesOfRoot(entry);
            return;
        }
        if (beneath != null && whiteout(beneath, path)) {
            return;
        }
        switch (entry.kind()) {
            case CHAR, BLOCK -> devices++;
            case SPARSE -> throw new TarFlaw("it is a sparse file in a form that is not taken; make it without --sparse");
            case OTHER -> throw new TarFlaw("it is of a type that is not taken");
            case FILE, HARDLINK, SYMLINK, DIRECTORY, FIFO -> place(entry, path, content);
        }
    }

    private static boolean whiteout(Beneath beneath, TreePath path) throws TarFlaw {
        if (path.parents().stream().anyMatch(p -> p.startsWith(Beneath.WHITEOUT))) {
            throw new TarFlaw("it lies in a whiteout");
        }
        if (!path.last().startsWith(Beneath.WHITEOUT)) {
            return false;
        }
        beneath.whiteout(path.parents(), path.last());
        return true;
    }

    private void place(TarEntry entry, TreePath path, TarReader content) throws IOException {
        var parent = parent(path.parents());
        var name = path.last();
        if (entry.kind() == TarEntry.Kind.HARDLINK) {
            hardlink(entry, parent, name);
            return;
        }
        if (entry.kind() == TarEntry.Kind.FILE) {
            file(entry, parent, name, content);
            return;
        }
        boolean hid = clear(parent, name, entry.kind());
        switch (entry.kind()) {
            case SYMLINK -> parent.symlink(target(entry), name);
            case FIFO -> parent.mkfifo(name, 0600);
            default -> directory(parent, name, hid);
        }
        attributes(entry, path, parent, name);
    }

    private static String target(TarEntry entry) throws TarFlaw {
        if (entry.link().isEmpty() || entry.link().indexOf('\0') >= 0) {
            throw new TarFlaw("it is a link without a target");
        }
        return entry.link();
    }

    private void hardlink(TarEntry entry, Dir parent, String name) throws IOException {
        var existing = TreePath.of(entry.link(), limits);
        if (existing.isRoot()) {
            throw new TarFlaw("it is a hard link to the root");
        }
        if (beneath != null && !isHere(existing)) {
            beneath.bringUp(existing.parents(), existing.last());
        }
        try (var from = open(existing.parents(), beneath != null)) {
            var stat = from.find(existing.last());
            if (stat.isEmpty() || stat.get().type() == Stat.Type.DIRECTORY || stat.get().type() == Stat.Type.CHAR) {
                throw new TarFlaw("it is a hard link to what is not there before it, or is a directory");
            }
            var present = parent.find(name);
            if (present.isPresent() && present.get().inode() == stat.get().inode()) {
                return;
            }
            clear(parent, name, TarEntry.Kind.HARDLINK);
            parent.link(from, existing.last(), name);
        }
    }

    private boolean isHere(TreePath path) {
        try (var dir = open(path.parents(), false)) {
            return dir.find(path.last()).filter(s -> s.type() != Stat.Type.CHAR).isPresent();
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT, Errno.ENOTDIR)) {
                return false;
            }
            throw e;
        }
    }

    /// A later member of the same name takes the place of the earlier one; a directory that stays a directory stays. True if it was a
    /// whiteout.
    private boolean clear(Dir parent, String name, TarEntry.Kind kind) {
        var present = parent.find(name);
        if (present.isEmpty() || present.get().type() == Stat.Type.DIRECTORY && kind == TarEntry.Kind.DIRECTORY) {
            return false;
        }
        // The name may have been part of the way to the last parent.
        lastIsStale = true;
        if (present.get().type() == Stat.Type.DIRECTORY) {
            parent.rmdir(name);
        } else {
            parent.unlink(name);
        }
        return present.get().type() == Stat.Type.CHAR;
    }

    private static void directory(Dir parent, String name, boolean hid) {
        if (!parent.has(name)) {
            parent.mkdir(name, 0700);
            if (hid) {
                Beneath.opaque(parent, name);
            }
        }
    }

    /// By its descriptor, which costs half of what names do.
    private void file(TarEntry entry, Dir parent, String name, TarReader content) throws IOException {
        try (var file = fresh(parent, name)) {
            int n;
            while ((n = content.read(chunk)) > 0) {
                MemorySegment.copy(chunk, 0, buffer, ValueLayout.JAVA_BYTE, 0, n);
                file.write(buffer.asSlice(0, n));
            }
            file.chown(entry.uid(), entry.gid());
            file.chmod(entry.mode());
            xattrs(entry, parent, name);
            file.touch(entry.modified());
        }
    }

    private Fd fresh(Dir parent, String name) {
        int flags = Open.WRONLY | Open.CREAT | Open.EXCL;
        try {
            return parent.openAt(name, flags, 0600);
        } catch (KernelException e) {
            if (!e.is(Errno.EEXIST)) {
                throw e;
            }
        }
        clear(parent, name, TarEntry.Kind.FILE);
        return parent.openAt(name, flags, 0600);
    }

    /// Owner before mode and capabilities, which a change of owner takes away; times last.
    private void attributes(TarEntry entry, TreePath path, Dir parent, String name) throws TarFlaw {
        parent.chown(name, entry.uid(), entry.gid());
        if (entry.kind() != TarEntry.Kind.SYMLINK) {
            parent.chmod(name, entry.mode());
        }
        xattrs(entry, parent, name);
        if (entry.kind() == TarEntry.Kind.DIRECTORY && beneath != null) {
            pathTimes.put(path.parts(), entry.modified());
        } else if (entry.kind() == TarEntry.Kind.DIRECTORY) {
            directoryTimes.put(parent.stat(name).inode(), entry.modified());
        } else {
            parent.touch(name, entry.modified());
        }
    }

    private void attributesOfRoot(TarEntry entry) throws TarFlaw {
        if (entry.kind() != TarEntry.Kind.DIRECTORY) {
            throw new TarFlaw("it takes the place of the root");
        }
        root.fd().chown(entry.uid(), entry.gid());
        root.fd().chmod(entry.mode());
        directoryTimes.put(root.fd().stat().inode(), entry.modified());
    }

    private void xattrs(TarEntry entry, Dir parent, String name) throws TarFlaw {
        long size = 0;
        for (var xattr : entry.xattrs().entrySet()) {
            size += xattr.getKey().length() + xattr.getValue().length;
            if (size > limits.attributes()) {
                throw new TarFlaw("its attributes are larger than " + limits.attributes() + " bytes");
            }
            boolean file = entry.kind() == TarEntry.Kind.FILE;
            if (xattr.getKey().equals(FileCapabilities.NAME) && file) {
                capability(xattr.getValue(), parent, name);
            } else if (xattr.getKey().startsWith("user.") && (file || entry.kind() == TarEntry.Kind.DIRECTORY)) {
                Xattrs.set(parent, name, xattr.getKey(), xattr.getValue());
            } else {
                attributes++;
            }
        }
    }

    private void capability(byte[] value, Dir parent, String name) {
        var kept = FileCapabilities.cutDown(value);
        if (kept.isEmpty() || !java.util.Arrays.equals(kept.get(), value)) {
            capabilities++;
        }
        kept.ifPresent(v -> Xattrs.set(parent, name, FileCapabilities.NAME, v));
    }

    private Dir parent(List<String> parts) {
        if (!lastIsStale && last.isPresent() && last.get().parts().equals(parts)) {
            return last.get().dir();
        }
        last.ifPresent(p -> p.dir().close());
        last = Optional.empty();
        var dir = open(parts, true);
        last = Optional.of(new Parent(List.copyOf(parts), dir));
        lastIsStale = false;
        return dir;
    }

    private Dir open(List<String> parts, boolean make) {
        var whole = parts.isEmpty() ? "." : String.join("/", parts);
        try {
            return new Dir(root.openInside(whole, Open.RDONLY | Open.DIRECTORY, 0));
        } catch (KernelException e) {
            if (make && beneath != null && e.is(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP)) {
                return make(beneath, parts);
            }
            if (!make || !e.is(Errno.ENOENT)) {
                throw e;
            }
        }
        try (var above = open(parts.subList(0, parts.size() - 1), true)) {
            above.mkdir(parts.getLast(), 0755);
            above.chmod(parts.getLast(), 0755);
        }
        return new Dir(root.openInside(whole, Open.RDONLY | Open.DIRECTORY, 0));
    }

    private static Dir make(Beneath beneath, List<String> parts) {
        try {
            return beneath.make(parts);
        } catch (TarFlaw flaw) {
            throw new java.io.UncheckedIOException(flaw);
        }
    }

    /// The times of directories, which writing into them changed. The last call.
    void setTimes(Beneath below) {
        root.touch(".", Instant.EPOCH);
        below.directoryTimes().forEach(this::setTime);
        pathTimes.forEach(this::setTime);
        var own = directoryTimes.get(root.fd().stat().inode());
        if (own != null) {
            root.touch(".", own);
        }
    }

    private void setTime(List<String> path, Instant time) {
        if (path.isEmpty()) {
            return;
        }
        // It may have been replaced since, and so may what led to it.
        try (var dir = open(path.subList(0, path.size() - 1), false)) {
            if (dir.find(path.getLast()).filter(s -> s.type() == Stat.Type.DIRECTORY).isPresent()) {
                dir.touch(path.getLast(), time);
            }
        } catch (KernelException e) {
            if (!e.is(Errno.ENOENT, Errno.ENOTDIR)) {
                throw e;
            }
        }
    }

    /// The directories that the runtime mounts on must be there and be directories, whatever the archive says.
    void completeRoot() throws TarFlaw {
        for (var name : RootCheck.PLACES) {
            var present = root.find(name);
            if (present.isEmpty()) {
                root.mkdir(name, 0755);
                root.chmod(name, name.equals("tmp") ? 01777 : 0755);
            } else if (present.get().type() != Stat.Type.DIRECTORY) {
                throw new TarFlaw("/" + name + " is no directory");
            }
        }
    }

    TarImport.Dropped dropped() {
        return new TarImport.Dropped(devices, capabilities, attributes);
    }

    Map<Long, Instant> directoryTimes() {
        return directoryTimes;
    }

    @Override
    public void close() {
        last.ifPresent(p -> p.dir().close());
        arena.close();
    }
}
