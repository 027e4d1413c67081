// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Problem;
import dev.redoma.pool.Compared;
import dev.redoma.pool.Pool;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// Where a workspace may lie.
final class WorkspacePaths {
    private static final int LONGEST = 4095;

    private WorkspacePaths() {}

    /// Absolute, and without `.` and `..`; a slash at its end goes.
    static String checked(String path) {
        var parts = Arrays.stream(path.split("/")).filter(p -> !p.isEmpty()).toList();
        if (!path.startsWith("/") || path.length() > LONGEST || parts.isEmpty() || path.indexOf('\0') >= 0 || parts.stream().anyMatch(p -> p.equals(".") || p.equals(".."))) {
            throw Problem.field("path", "is no workspace", "an absolute path below the root, without '.' and '..'");
        }
        return "/" + String.join("/", parts);
    }

    /// Refuses what is no directory, or is reached through a link.
    static void real(Pool pool, Path upper, List<Path> lowers, String root) {
        if (!pool.isDirectory(Compared.withStart(upper, upper, lowers, root))) {
            throw Problem.field("path", "is no directory, or is reached through a link", "the real path of a directory");
        }
    }
}
