// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Reads a small file of a tree that may be hostile, through no link.
final class TreeText {
    private TreeText() {}

    /// Its text byte for byte; empty where there is no such regular file of at most `most` bytes.
    static Optional<String> of(Dir dir, int most, String... path) {
        return path.length > 1
                ? inside(dir, path[0], inner -> of(inner, most, java.util.Arrays.copyOfRange(path, 1, path.length)))
                : file(dir, path[0], most);
    }

    private static Optional<String> file(Dir dir, String name, int most) {
        try (Fd file = dir.openAt(name, Open.RDONLY | Open.NONBLOCK, 0)) {
            Stat stat = file.stat();
            return stat.type() == Stat.Type.FILE && stat.size() <= most
                    ? Optional.of(new String(file.readAll(most), StandardCharsets.ISO_8859_1))
                    : Optional.empty();
        } catch (KernelException e) {
            return absent(e);
        }
    }

    /// What is done in a directory of that name, if there is one.
    static <T> Optional<T> inside(Dir dir, String name, java.util.function.Function<Dir, Optional<T>> work) {
        Dir inner;
        try {
            inner = dir.dirAt(name);
        } catch (KernelException e) {
            return absent(e);
        }
        try (inner) {
            return work.apply(inner);
        }
    }

    private static <T> Optional<T> absent(KernelException e) {
        if (e.is(Errno.ENOENT, Errno.ENOTDIR, Errno.ELOOP, Errno.ENXIO)) {
            return Optional.empty();
        }
        throw e;
    }
}
