// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Stat;
import java.util.List;

/// Goes over a tree that a sandbox wrote, in order of names: follows no link, opens only directories, ends at its bounds. What it cannot read
/// is an error, never left out. One thread, once.
final class Walk {
    private static final Stat.Device WHITEOUT = new Stat.Device(0, 0);

    private final Bounds bounds;
    private final long end;
    private int entries;

    /// `end`: until when (`nanoTime`).
    Walk(Bounds bounds, long end) {
        this.bounds = bounds;
        this.end = end;
    }

    /// What is done with what is there. An entry may be removed when it was visited, a directory when it was left.
    interface Visitor {
        /// Anything but a directory; `gone`: it says that what the layers have there was deleted.
        void entry(Dir dir, String name, Stat stat, String path, ContentClass of, boolean gone);

        default void entered(Dir parent, String name, String path) {}

        default void left(Dir parent, String name, ContentClass of, ContentClass above) {}
    }

    /// False if a bound ended it: not everything was seen.
    boolean over(Dir top, Visitor visitor) {
        try {
            directory(top, "", 1, ContentClass.OTHER, visitor);
            return true;
        } catch (Full full) {
            return false;
        }
    }

    private void directory(Dir dir, String path, int depth, ContentClass of, Visitor visitor) {
        if (depth > bounds.depth()) {
            throw new Full();
        }
        for (String name : names(dir)) {
            if (++entries > bounds.entries() || System.nanoTime() > end) {
                throw new Full();
            }
            Stat stat = dir.stat(name);
            String at = path + "/" + name;
            if (stat.type() != Stat.Type.DIRECTORY) {
                visitor.entry(dir, name, stat, at, Classes.file(name, of), stat.type() == Stat.Type.CHAR && stat.device().equals(WHITEOUT));
                continue;
            }
            ContentClass below = Classes.directory(at, name, of);
            visitor.entered(dir, name, at);
            try (Dir inner = dir.dirAt(name)) {
                directory(inner, at, depth + 1, below, visitor);
            }
            visitor.left(dir, name, below, of);
        }
    }

    private List<String> names(Dir dir) {
        try {
            List<String> names = dir.list(bounds.names());
            names.sort(null);
            return names;
        } catch (KernelException e) {
            if (e.is(Errno.E2BIG)) {
                throw new Full();
            }
            throw e;
        }
    }

    static final class Full extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Full() {
            super(null, null, false, false);
        }
    }
}
