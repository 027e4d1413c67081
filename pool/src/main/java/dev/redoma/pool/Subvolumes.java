// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Btrfs;
import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import java.nio.file.Path;
import java.util.List;

/// A directory of the pool that holds subvolumes. Names ending in `.new` are half-made (or half-deleted) and go at the next open.
final class Subvolumes implements AutoCloseable {
    private static final String HALF = ".new";
    private static final int MOST = 1_000_000;

    private final Path path;
    private final Dir dir;

    private Subvolumes(Path path, Dir dir) {
        this.path = path;
        this.dir = dir;
    }

    /// Opens it, making it if needed, and removes what is half-made.
    static Subvolumes in(Dir root, Path rootPath, String name) {
        if (!root.has(name)) {
            root.mkdir(name, 0700);
        }
        var home = new Subvolumes(rootPath.resolve(name), root.dirAt(name));
        home.dir.list(MOST).stream().filter(n -> n.endsWith(HALF)).forEach(home::destroy);
        return home;
    }

    Path path() {
        return path;
    }

    Path path(String name) {
        return path.resolve(name);
    }

    static String halfOf(String name) {
        return name + HALF;
    }

    boolean has(String name) {
        return dir.has(name);
    }

    Dir open(String name) {
        return dir.dirAt(name);
    }

    List<String> names() {
        return dir.list(MOST).stream().filter(n -> !n.endsWith(HALF)).sorted().toList();
    }

    /// A new empty subvolume under the half-made form of this name.
    Dir half(String name) {
        destroy(name + HALF);
        Btrfs.createSubvolume(dir, name + HALF);
        return dir.dirAt(name + HALF);
    }

    /// A writable snapshot under the half-made form of this name.
    void copyHalf(Dir source, String name) {
        destroy(name + HALF);
        Btrfs.snapshot(source, dir, name + HALF, false);
    }

    Dir openHalf(String name) {
        return dir.dirAt(name + HALF);
    }

    /// Gives the half-made one its name.
    void finish(String name) {
        dir.rename(name + HALF, dir, name);
    }

    /// Gives the half-made one another name; false if that is taken.
    boolean finishNew(String half, String name) {
        try {
            dir.rename(half + HALF, dir, name);
            return true;
        } catch (KernelException e) {
            if (e.is(Errno.EEXIST)) {
                return false;
            }
            throw e;
        }
    }

    /// Takes one over from another such directory.
    void take(Dir from, String name) {
        from.rename(name, dir, name);
    }

    Dir dir() {
        return dir;
    }

    /// Puts the half-made one in the place of the present one, at once, and destroys the latter.
    void exchange(String name) {
        dir.exchange(name + HALF, dir, name);
        destroy(name + HALF);
    }

    /// A writable snapshot under the half-made form of this name.
    void copy(Dir source, String name) {
        destroy(name + HALF);
        Btrfs.snapshot(source, dir, name + HALF, false);
    }

    Path halfPath(String name) {
        return path.resolve(name + HALF);
    }

    /// The half-made one becomes immutable and gets its name; nothing if it has it.
    void seal(String name) {
        if (dir.has(name)) {
            return;
        }
        try (var half = dir.dirAt(name + HALF)) {
            Btrfs.setReadOnly(half);
        }
        finish(name);
    }

    /// Removes a subvolume with all that is in it; nothing if it is not there.
    void destroy(String name) {
        try {
            Btrfs.destroy(dir, name);
        } catch (KernelException e) {
            if (!e.is(Errno.ENOENT)) {
                throw e;
            }
        }
    }

    void destroyHalf(String name) {
        destroy(name + HALF);
    }

    @Override
    public void close() {
        dir.close();
    }
}
