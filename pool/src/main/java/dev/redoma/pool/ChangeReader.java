// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Stat;
import dev.redoma.model.wire.Change;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Reads the upper directory of an overlay against its lower ones: what was added, changed, deleted, or got another mode or
/// owner. Never follows a link, never opens anything but directories and regular files; bounded in entries, depth, names and time. The
/// sandbox may be running: what vanishes meanwhile is left out. One thread.
final class ChangeReader implements AutoCloseable {
    private static final int DEPTH = 200;
    private static final int NAMES = 200_000;
    private static final int VISITS = 2_000_000;
    private static final long TIME = Duration.ofMinutes(1).toNanos();

    private final int limit;
    private final SameFile same;
    private final List<Change> changes = new ArrayList<>();
    private final long started = System.nanoTime();
    private int visits;

    private ChangeReader(int limit, long uidBase) {
        this.limit = limit;
        this.same = new SameFile(uidBase);
    }

    static List<Change> read(Path upper, List<Path> lowers, int limit) {
        try (var reader = new ChangeReader(limit, Lowers.uidBase(upper));
                var top = Dir.open(upper);
                var below = Lowers.of(lowers)) {
            try {
                reader.directory(top, below, new Place("", 1, false));
            } catch (Full e) {
                reader.changes.add(new Change("", "truncated", "", null, null, null, List.of()));
            }
            return List.copyOf(reader.changes);
        }
    }

    /// Where a directory is; `hides`: it or one above it is opaque, so nothing of the layers shows through.
    private record Place(String path, int depth, boolean hides) {}

    private void directory(Dir dir, Lowers below, Place place) {
        var names = place.depth() > DEPTH ? Optional.<List<String>>empty() : names(dir);
        if (names.isEmpty()) {
            // Said of this directory alone: what lies beside it must not be hidden by it.
            put(new Change(Names.printable(place.path()), "truncated", "directory", null, null, null, List.of()));
            return;
        }
        for (var name : names.get()) {
            if (++visits > VISITS || System.nanoTime() - started > TIME) {
                throw new Full();
            }
            try {
                entry(dir, name, below, place);
            } catch (KernelException e) {
                if (!e.is(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP, Errno.EINVAL, Errno.ENXIO, Errno.EACCES)) {
                    throw e;
                }
            }
        }
    }

    /// Empty where there are too many.
    private static Optional<List<String>> names(Dir dir) {
        try {
            var names = dir.list(NAMES);
            names.sort(null);
            return Optional.of(names);
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT)) {
                return Optional.of(List.of());
            }
            if (e.is(Errno.E2BIG)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void entry(Dir dir, String name, Lowers below, Place place) {
        var path = place.path() + "/" + name;
        var stat = dir.stat(name);
        var old = below.find(name);
        if (Lowers.isWhiteout(dir, name, stat)) {
            old.ifPresent(o -> deleted(o, name, path));
        } else if (stat.type() == Stat.Type.DIRECTORY) {
            changedDirectory(dir, name, stat, old, below, new Place(path, place.depth() + 1, place.hides()));
        } else {
            changedFile(dir, name, stat, old, path);
        }
    }

    private void changedFile(Dir dir, String name, Stat stat, Optional<Lowers.Found> old, String path) {
        if (old.isEmpty()) {
            add("added", dir, name, stat, old, path);
        } else if (!same.content(dir, name, stat, old.get())) {
            add("changed", dir, name, stat, old, path);
        } else if (!same.attributes(dir, name, stat, old.get())) {
            add("mode", dir, name, stat, old, path);
        }
    }

    private void changedDirectory(Dir dir, String name, Stat stat, Optional<Lowers.Found> old, Lowers below, Place at) {
        boolean wasDirectory = old.isPresent() && old.get().stat().type() == Stat.Type.DIRECTORY;
        if (!wasDirectory) {
            add(old.isEmpty() ? "added" : "changed", dir, name, stat, old, at.path());
        } else if (!same.attributes(dir, name, stat, old.get())) {
            add("mode", dir, name, stat, old, at.path());
        }
        try (var inner = dir.dirAt(name); var innerBelow = wasDirectory ? below.into(name) : Lowers.none()) {
            boolean hides = at.hides() || Lowers.isOpaque(dir, name);
            if (hides) {
                hidden(inner, innerBelow, at.path());
            }
            directory(inner, innerBelow, new Place(at.path(), at.depth(), hides));
        }
    }

    /// An opaque directory (or one in it) replaced the one below: what it does not have anew was deleted.
    private void hidden(Dir inner, Lowers below, String path) {
        for (var name : below.names()) {
            if (!inner.has(name)) {
                below.find(name).ifPresent(old -> deleted(old, name, path + "/" + name));
            }
        }
    }

    private void deleted(Lowers.Found old, String name, String path) {
        put(new Change(Names.printable(path), "deleted", type(old.stat()), size(old.stat()), null, null, List.of()));
    }

    private void add(String kind, Dir dir, String name, Stat stat, Optional<Lowers.Found> old, String path) {
        var target = stat.type() == Stat.Type.SYMLINK ? dir.readlink(name) : null;
        put(new Change(
                Names.printable(path),
                kind,
                type(stat),
                old.map(o -> size(o.stat())).orElse(null),
                size(stat),
                target == null ? null : Names.printable(target),
                Flags.of(path, stat, target)));
    }

    private void put(Change change) {
        if (changes.size() >= limit) {
            throw new Full();
        }
        changes.add(change);
    }

    private static @org.jspecify.annotations.Nullable Long size(Stat stat) {
        return stat.type() == Stat.Type.FILE ? (Long) stat.size() : null;
    }

    private static String type(Stat stat) {
        return stat.type().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() {
        same.close();
    }

    /// A bound is reached; what was found so far stands.
    private static final class Full extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Full() {
            super(null, null, false, false);
        }
    }
}
