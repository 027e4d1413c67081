// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.nio.file.Files;
import java.nio.file.Path;

/// Files and folders of this side that a verb was told to take: one that is not there is wrong usage, found before the server is asked.
final class Local {
    private Local() {}

    static Path there(Path path) {
        if (!Files.exists(path)) {
            throw new Failed(Exit.USAGE, "There is no file or directory '" + Text.safe(path.toString()) + "'.", "Name one that is there.");
        }
        return path;
    }

    static Path there(String path) {
        return there(Path.of(path));
    }
}
