// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The saved uppers of one disk, open. Close it.
final class Uppers implements AutoCloseable {
    private final List<Dir> dirs = new ArrayList<>();

    private Uppers() {}

    static Uppers open(List<Path> paths) {
        var opened = new Uppers();
        try {
            paths.forEach(path -> opened.dirs.add(Dir.open(path)));
            return opened;
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    List<Dir> dirs() {
        return dirs;
    }

    @Override
    public void close() {
        dirs.forEach(Dir::close);
    }
}
