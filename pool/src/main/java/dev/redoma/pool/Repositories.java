// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;

/// Which directories git takes for a repository wherever they lie: whoever stands in one and runs git (also a prompt does) runs what its configuration names.
final class Repositories {
    private Repositories() {}

    /// By what git itself looks for: `HEAD` beside `objects` and `refs`, or beside `commondir`, which says where those are. Not what is called `.git`, whose parts are known by their names.
    static boolean is(Lowers now, String path) {
        return !path.endsWith("/.git") && !path.contains("/.git/") && has(now, "HEAD") && (has(now, "commondir") || has(now, "objects") && has(now, "refs"));
    }

    private static boolean has(Lowers now, String name) {
        try {
            return now.find(name).isPresent();
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP, Errno.EINVAL, Errno.ENXIO, Errno.EACCES)) {
                return false;
            }
            throw e;
        }
    }
}
