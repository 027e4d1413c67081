// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a change set compares: an upper directory on its layers (top first) with those layers alone, or with how the upper was at a start; below a path without links.
public record Compared(Path upper, @Nullable Path start, List<Path> lowers, List<String> root) {

    /// All of a disk against its template.
    public static Compared withTemplate(Path upper, List<Path> lowers) {
        return new Compared(upper, null, lowers, List.of());
    }

    /// A directory of a disk, given as a path from the root, against how it was when `start` was taken.
    public static Compared withStart(Path upper, Path start, List<Path> lowers, String root) {
        return new Compared(upper, start, lowers, Arrays.stream(root.split("/")).filter(p -> !p.isEmpty()).toList());
    }

    Lowers now() {
        return Lowers.of(Stream.concat(Stream.of(upper), lowers.stream()).toList());
    }

    Lowers before() {
        return Lowers.of(start == null ? lowers : Stream.concat(Stream.of(start), lowers.stream()).toList());
    }
}
