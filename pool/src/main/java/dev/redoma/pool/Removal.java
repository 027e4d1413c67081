// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Stat;

/// Removes an entry with all that is below it, never through a link. Directories deeper than we would open at a time are first moved up.
final class Removal {
    private static final int NAMES = 1_000_000;
    private static final int DEEPEST = 200;

    private Removal() {}

    static void of(Dir dir, String name, boolean recursive) {
        if (dir.stat(name).type() != Stat.Type.DIRECTORY) {
            dir.unlink(name);
        } else if (recursive) {
            tree(dir, dir, name, 0);
        } else {
            dir.rmdir(name);
        }
    }

    private static void tree(Dir top, Dir dir, String name, int depth) {
        if (depth > DEEPEST) {
            var moved = ".redoma-deep-" + System.nanoTime();
            dir.rename(name, top, moved);
            tree(top, top, moved, 0);
            return;
        }
        try (var inner = dir.dirAt(name)) {
            for (var child : inner.list(NAMES)) {
                try {
                    if (inner.stat(child).type() == Stat.Type.DIRECTORY) {
                        tree(top, inner, child, depth + 1);
                    } else {
                        inner.unlink(child);
                    }
                } catch (KernelException gone) {
                    if (!gone.is(Errno.ENOENT)) {
                        throw gone;
                    }
                }
            }
        }
        dir.rmdir(name);
    }
}
