// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Looks an archive from outside through before any of it is unpacked: what is refused is refused whole, naming the member. A member goes
/// to a relative path without `..`, once, never through another that is no directory; links may point anywhere, since nothing follows them.
final class ArchiveCheck {
    private static final long HARMLESS = Unpacked.HARMLESS;
    private static final long TIMES = Unpacked.TIMES;
    private static final long NAMES = 64L << 20;

    private final ImportLimits limits;
    private final long packed;
    private final Map<String, TarEntry.Kind> seen = new HashMap<>();
    private final byte[] buffer = new byte[1 << 17];
    private long entries;
    private long bytes;
    private long names;

    ArchiveCheck(ImportLimits limits, long packed) {
        this.limits = limits;
        this.packed = packed;
    }

    /// How many members and bytes of content it has.
    record Found(long entries, long bytes) {}

    Found through(ArchiveReader reader) throws IOException {
        @Nullable TarEntry entry = null;
        try {
            while ((entry = reader.next()) != null) {
                admit(entry);
                content(reader, entry);
            }
        } catch (TarFlaw flaw) {
            throw flaw.member() == null && entry != null ? flaw.at(entry.name()) : flaw;
        }
        return new Found(entries, bytes);
    }

    private void admit(TarEntry entry) throws TarFlaw {
        if (++entries > limits.entries()) {
            throw new TarFlaw("it is one more than the " + limits.entries() + " members that are taken");
        }
        names += entry.name().length();
        if (names > NAMES) {
            throw new TarFlaw("the names are longer than " + NAMES + " bytes together");
        }
        if (entry.name().startsWith("/")) {
            throw new TarFlaw("its name is absolute");
        }
        var path = TreePath.of(entry.name(), limits);
        switch (entry.kind()) {
            case CHAR, BLOCK -> throw new TarFlaw("it is a device");
            case SPARSE -> throw new TarFlaw("it is a sparse file in a form that is not taken; make it without --sparse");
            case OTHER -> throw new TarFlaw("it is of a type that is not taken");
            case SYMLINK -> link(entry);
            case HARDLINK -> hardlink(entry);
            case FILE, DIRECTORY, FIFO -> {}
        }
        if (path.isRoot() && entry.kind() != TarEntry.Kind.DIRECTORY) {
            throw new TarFlaw("it takes the place of the directory itself");
        }
        if (!path.isRoot()) {
            place(path, entry.kind());
        }
    }

    private static void link(TarEntry entry) throws TarFlaw {
        if (entry.link().isEmpty() || entry.link().indexOf('\0') >= 0 || entry.link().length() > 4095) {
            throw new TarFlaw("it is a link without a target");
        }
    }

    private void hardlink(TarEntry entry) throws TarFlaw {
        if (entry.link().startsWith("/") || seen.get(key(TreePath.of(entry.link(), limits))) != TarEntry.Kind.FILE) {
            throw new TarFlaw("it is a hard link to what is no file of the archive before it");
        }
    }

    private void place(TreePath path, TarEntry.Kind kind) throws TarFlaw {
        for (int i = 1; i < path.parts().size(); i++) {
            var above = seen.putIfAbsent(String.join("/", path.parts().subList(0, i)), TarEntry.Kind.DIRECTORY);
            if (above != null && above != TarEntry.Kind.DIRECTORY) {
                throw new TarFlaw("the way to it leads through a member that is no directory");
            }
        }
        var before = seen.put(key(path), kind == TarEntry.Kind.HARDLINK ? TarEntry.Kind.FILE : kind);
        if (before != null && (before != TarEntry.Kind.DIRECTORY || kind != TarEntry.Kind.DIRECTORY)) {
            throw new TarFlaw("it is there twice");
        }
    }

    private static String key(TreePath path) {
        return String.join("/", path.parts());
    }

    private void content(ArchiveReader reader, TarEntry entry) throws IOException {
        room(entry.size());
        for (int n; (n = reader.read(buffer)) > 0; bytes += n) {
            room(n);
        }
    }

    private void room(long more) throws TarFlaw {
        if (more < 0 || bytes + more > limits.bytes()) {
            throw new TarFlaw("with it the content is larger than the " + limits.bytes() + " bytes that there is room for");
        }
        if (bytes + more > HARMLESS && (bytes + more) / TIMES > packed) {
            throw new TarFlaw("with it the archive grows more than " + TIMES + " times as it is unpacked");
        }
    }
}
