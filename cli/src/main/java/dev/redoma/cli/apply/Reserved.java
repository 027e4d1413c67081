// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Places of a target that no change set reaches, whatever it says and whoever looked at it: what git believes, what this program believes. Names are compared without case, as some file systems do.
public final class Reserved {
    private final @Nullable String state;

    private Reserved(@Nullable String state) {
        this.state = state;
    }

    /// For a target and the user's own folder of journals, both by their real paths.
    static Reserved of(Path target, Path state) throws IOException {
        if (git(target.toString())) {
            throw new NotApplied("the folder lies in a '.git', into which nothing is ever applied");
        }
        if (target.startsWith(state)) {
            throw new NotApplied("the folder lies in redoma's own state '" + state + "'");
        }
        return new Reserved(below(target, state));
    }

    /// By identity, for a directory can have two paths.
    private static @Nullable String below(Path target, Path state) throws IOException {
        for (var at = state; at != null; at = at.getParent()) {
            if (Files.isSameFile(at, target)) {
                return at.relativize(state).toString();
            }
        }
        return null;
    }

    /// It is, or lies in, what git takes for its own.
    public static boolean git(String path) {
        return Arrays.stream(path.split("/")).anyMatch(".git"::equalsIgnoreCase);
    }

    /// It has the name of a folder in which an apply is made, or lies in one.
    public static boolean journal(String path) {
        return Arrays.stream(path.split("/")).anyMatch(part -> part.toLowerCase(Locale.ROOT).startsWith(Journal.NAME));
    }

    void check(String path) {
        boolean own = state != null && (state.equals(path) || state.startsWith(path + "/") || path.startsWith(state + "/"));
        if (own || git(path) || journal(path)) {
            throw new NotApplied("'" + path + "' is never written by an apply: " + (own ? "redoma keeps its own state there" : "it is git's, or an apply's own"), List.of(path));
        }
    }
}
