// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.ArrayDeque;
import java.util.Deque;

/// Paths of a recipe, as text: nothing is looked at.
final class BuildPaths {
    private BuildPaths() {}

    /// `path` as seen from the directory `base`: absolute, without `.`, `..` and empty parts.
    static String under(String base, String path) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : (path.startsWith("/") ? path : base + "/" + path).split("/")) {
            if (part.equals("..")) {
                parts.pollLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.addLast(part);
            }
        }
        return "/" + String.join("/", parts);
    }

    static String parent(String absolute) {
        int slash = absolute.lastIndexOf('/');
        return slash <= 0 ? "/" : absolute.substring(0, slash);
    }

    static String name(String absolute) {
        return absolute.substring(absolute.lastIndexOf('/') + 1);
    }
}
