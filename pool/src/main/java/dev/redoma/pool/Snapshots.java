// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Btrfs;
import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/// Read-only snapshots of layers, in groups: one directory per tenant or sandbox.
final class Snapshots implements AutoCloseable {
    private static final int MOST = 1_000_000;

    private final Path path;
    private final Dir dir;
    private final ReentrantLock making = new ReentrantLock();

    Snapshots(Dir pool, Path poolPath, String name) {
        if (!pool.has(name)) {
            pool.mkdir(name, 0700);
        }
        this.path = poolPath.resolve(name);
        this.dir = pool.dirAt(name);
    }

    Path path(String group, LayerId layer) {
        return path.resolve(group).resolve(layer.hex());
    }

    boolean has(String group, LayerId layer) {
        if (!dir.has(group)) {
            return false;
        }
        try (var inner = dir.dirAt(group)) {
            return inner.has(layer.hex());
        }
    }

    void make(Dir source, String group, LayerId layer) {
        making.lock();
        try {
            if (!dir.has(group)) {
                dir.mkdir(group, 0700);
            }
            try (var inner = dir.dirAt(group)) {
                if (!inner.has(layer.hex())) {
                    Btrfs.snapshot(source, inner, layer.hex(), true);
                }
            }
        } finally {
            making.unlock();
        }
    }

    List<String> groups() {
        return dir.list(MOST);
    }

    void remove(Predicate<LayerId> which) {
        making.lock();
        try {
            groups().forEach(g -> removeIn(g, which));
        } finally {
            making.unlock();
        }
    }

    void removeGroup(String group) {
        making.lock();
        try {
            if (dir.has(group)) {
                removeIn(group, any -> true);
            }
        } finally {
            making.unlock();
        }
    }

    private void removeIn(String group, Predicate<LayerId> which) {
        try (var inner = dir.dirAt(group)) {
            for (var name : inner.list(MOST)) {
                if (which.test(new LayerId("sha256:" + name))) {
                    Btrfs.destroy(inner, name);
                }
            }
        }
        try {
            dir.rmdir(group);
        } catch (KernelException e) {
            if (!e.is(Errno.ENOTEMPTY)) {
                throw e;
            }
        }
    }

    @Override
    public void close() {
        dir.close();
    }
}
