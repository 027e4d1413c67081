// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Reads small files in a directory tree that may be hostile: no link is followed, nothing but a regular file is opened for
/// reading, and only so much of it.
final class TreeFile {
    private static final int MOST = 1 << 20;

    private TreeFile() {}

    /// Its text, byte for byte; empty where there is no such regular file, or a larger one.
    static Optional<String> ofEtc(Path root, String name) {
        return of(root, "/etc/" + name);
    }

    /// `path`: as it is within the tree.
    static Optional<String> of(Path root, String path) {
        try (Dir top = Dir.open(root)) {
            return below(top, List.of(path.substring(1).split("/")));
        } catch (KernelException notThere) {
            return Optional.empty();
        }
    }

    private static Optional<String> below(Dir dir, List<String> path) {
        if (path.size() > 1) {
            try (Dir inner = dir.dirAt(path.getFirst())) {
                return below(inner, path.subList(1, path.size()));
            }
        }
        try (Fd file = dir.openAt(path.getFirst(), Open.RDONLY | Open.NONBLOCK, 0)) {
            if (file.stat().type() != Stat.Type.FILE || file.stat().size() > MOST) {
                return Optional.empty();
            }
            return Optional.of(new String(file.readAll(MOST), StandardCharsets.ISO_8859_1));
        }
    }
}
