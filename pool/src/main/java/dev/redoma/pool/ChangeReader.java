// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Reads what two views of one file system differ in: added, changed, deleted, renamed, or of another mode or owner. Goes only where a layer that they do not share has something. Never follows a
/// link, never opens anything but directories and regular files; bounded in entries, depth, names, bytes and time. The sandbox may be running: what vanishes meanwhile is left out. One thread.
final class ChangeReader implements AutoCloseable {
    private static final int DEPTH = 200;
    private static final int NAMES = 200_000;
    private static final int VISITS = 2_000_000;
    private static final Duration TIME = Duration.ofMinutes(1);
    /// A file that is larger is told without a digest, and what is read together.
    private static final long LARGEST = 1L << 30;
    private static final long ALL = 8L << 30;
    /// Of that in holes, which no quota counts: two files of the largest size, or one as it is and was.
    private static final long HOLES = 2L << 30;

    private final Compared views;
    private final int limit;
    private final List<Change> changes = new ArrayList<>();
    private final long deadline = System.nanoTime() + TIME.toNanos();
    private final ContentDigest digest = new ContentDigest(LARGEST, ALL, HOLES, deadline);
    private int visits;

    private ChangeReader(Compared views, int limit) {
        this.views = views;
        this.limit = limit;
    }

    static List<Change> read(Compared views, int limit) {
        try (var reader = new ChangeReader(views, limit); var now = views.now(); var before = views.before();
                var rootNow = now.at(views.root()); var rootBefore = before.at(views.root())) {
            boolean whole = true;
            try {
                reader.directory(rootNow, rootBefore, "", 1, null);
            } catch (Full e) {
                whole = false;
            }
            var found = new ArrayList<>(Renames.in(reader.changes));
            if (!whole) {
                found.add(Change.truncated("", ""));
            }
            return views.start() == null ? List.copyOf(found) : found.stream().map(ChangeReader::below).toList();
        }
    }

    /// Paths of a workspace begin below it.
    private static Change below(Change c) {
        var path = c.path().startsWith("/") ? c.path().substring(1) : c.path();
        return new Change(path, c.kind(), c.type(), c.typeBefore(), c.from() == null ? null : c.from().substring(1), c.sizeBefore(), c.sizeAfter(), c.modeBefore(), c.modeAfter(),
                c.digestBefore(), c.digestAfter(), c.target(), c.flags());
    }

    private void directory(Lowers now, Lowers before, String path, int depth, @Nullable String above) {
        if (now.layers().equals(before.layers())) {
            return; // the same directories of the same layers
        }
        var repository = above == null && Repositories.is(now, path) ? path : above;
        var names = depth > DEPTH ? Optional.<Set<String>>empty() : names(now, before);
        if (names.isEmpty()) {
            // Said of this directory alone: what lies beside it must not be hidden by it.
            put(Change.truncated(Names.printable(path), "directory"));
            return;
        }
        for (var name : names.get()) {
            if (++visits > VISITS || System.nanoTime() > deadline) {
                throw new Full();
            }
            try {
                entry(name, now, before, path + "/" + name, depth, repository);
            } catch (KernelException e) {
                if (!e.is(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP, Errno.EINVAL, Errno.ENXIO, Errno.EACCES)) {
                    throw e;
                }
            }
        }
    }

    /// What may differ: names that a layer has which is not in both; all, where one of the shared ones shows through in one view alone. Empty where there are too many.
    private Optional<Set<String>> names(Lowers now, Lowers before) {
        try {
            var names = new TreeSet<String>();
            if (shared(now, views.upper()).equals(shared(before, views.start()))) {
                names.addAll(now.names(views.upper(), NAMES));
                if (views.start() != null) {
                    names.addAll(before.names(views.start(), NAMES));
                }
            } else {
                names.addAll(now.names());
                names.addAll(before.names());
            }
            return names.size() > NAMES ? Optional.empty() : Optional.of(names);
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT)) {
                return Optional.of(Set.of());
            }
            if (e.is(Errno.E2BIG)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static List<Path> shared(Lowers view, @Nullable Path own) {
        return view.layers().stream().filter(l -> !l.equals(own)).toList();
    }

    private void entry(String name, Lowers now, Lowers before, String path, int depth, @Nullable String repository) {
        var n = now.find(name).orElse(null);
        var b = before.find(name).orElse(null);
        if (n != null && b != null) {
            both(name, n, b, path, repository);
        } else if (n != null) {
            put(change("added", name, n, null, path, digest.of(n.dir(), name, n.stat()), null, repository));
        } else if (b != null) {
            put(change("deleted", name, null, b, path, null, digest.of(b.dir(), name, b.stat()), repository));
        }
        boolean dirNow = n != null && n.stat().type() == Stat.Type.DIRECTORY;
        boolean dirBefore = b != null && b.stat().type() == Stat.Type.DIRECTORY;
        if (dirNow || dirBefore) {
            try (var innerNow = dirNow ? now.into(name) : Lowers.none(); var innerBefore = dirBefore ? before.into(name) : Lowers.none()) {
                directory(innerNow, innerBefore, path, depth + 1, repository);
            }
        }
    }

    private void both(String name, Lowers.Found n, Lowers.Found b, String path, @Nullable String repository) {
        if (n.layer().equals(b.layer()) || untouched(n, b)) {
            return;
        }
        boolean type = n.stat().type() == b.stat().type();
        var after = digest.of(n.dir(), name, n.stat());
        var old = digest.of(b.dir(), name, b.stat());
        boolean same = type && n.stat().size() == b.stat().size() && Objects.equals(after, old) && (n.stat().type() != Stat.Type.FILE || after != null)
                && n.stat().device().equals(b.stat().device());
        if (type && n.stat().type() == Stat.Type.DIRECTORY || same) {
            if (!SameAttributes.of(name, n, b)) {
                put(change("mode", name, n, b, path, after, old, repository));
            }
        } else {
            put(change("changed", name, n, b, path, after, old, repository));
        }
    }

    /// A start is a snapshot of the disk: the same file at the same change of it, a time that only the kernel sets.
    private boolean untouched(Lowers.Found n, Lowers.Found b) {
        return views.start() != null && b.layer().equals(views.start()) && n.layer().equals(views.upper()) && n.stat().type() != Stat.Type.DIRECTORY && n.stat().type() == b.stat().type()
                && n.stat().inode() == b.stat().inode() && n.stat().size() == b.stat().size() && n.stat().changed().equals(b.stat().changed());
    }

    private static Change change(String kind, String name, Lowers.@Nullable Found n, Lowers.@Nullable Found b, String path, @Nullable String after, @Nullable String before,
            @Nullable String repository) {
        var it = n == null ? Objects.requireNonNull(b) : n;
        var target = n != null && n.stat().type() == Stat.Type.SYMLINK ? n.dir().readlink(name) : null;
        var typeBefore = n == null || b == null || n.stat().type() == b.stat().type() ? null : type(b.stat());
        return new Change(Names.printable(path), kind, type(it.stat()), typeBefore, null, b == null ? null : size(b.stat()), n == null ? null : size(n.stat()),
                b == null ? null : mode(b.stat()), n == null ? null : mode(n.stat()), before, after, target == null ? null : Names.printable(target),
                n == null ? List.of() : Flags.of(path, n.stat(), target, repository));
    }

    private void put(Change change) {
        if (changes.size() >= limit) {
            throw new Full();
        }
        changes.add(change);
    }

    private static @Nullable Long size(Stat stat) {
        return stat.type() == Stat.Type.FILE ? (Long) stat.size() : null;
    }

    private static @Nullable String mode(Stat stat) {
        var octal = Integer.toOctalString(stat.mode());
        return stat.type() == Stat.Type.SYMLINK ? null : "0".repeat(Math.max(0, 4 - octal.length())) + octal;
    }

    private static String type(Stat stat) {
        return stat.type().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() {
        digest.close();
    }

    /// A bound is reached; what was found so far stands.
    private static final class Full extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Full() {
            super(null, null, false, false);
        }
    }
}
