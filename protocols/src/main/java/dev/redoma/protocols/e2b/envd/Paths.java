// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import java.util.ArrayDeque;
import java.util.Comparator;

/// Paths as these clients write and read them.
final class Paths {
    /// A directory before what is in it, names in order.
    static final Comparator<String> ORDER = (a, b) -> {
        int n = Math.min(a.length(), b.length());
        for (int i = 0; i < n; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                return x == '/' ? -1 : y == '/' ? 1 : Character.compare(x, y);
            }
        }
        return Integer.compare(a.length(), b.length());
    };

    private Paths() {}

    /// As the engine takes it: from the user's home where it is relative or begins with `~`.
    static String in(String path) {
        if (path.isEmpty() || path.equals("~")) {
            return ".";
        }
        return path.startsWith("~/") ? "./" + path.substring(2) : path;
    }

    /// Without `.`, `..`, doubled and trailing slashes. By hand: what a sandbox names is no path of this host, in its encoding least of all.
    static String clean(String path) {
        boolean absolute = path.startsWith("/");
        var parts = new ArrayDeque<String>();
        for (var part : path.split("/")) {
            if (part.equals("..") && !parts.isEmpty() && !parts.getLast().equals("..")) {
                parts.removeLast();
            } else if (!part.isEmpty() && !part.equals(".") && !(part.equals("..") && absolute)) {
                parts.add(part);
            }
        }
        return parts.isEmpty() || absolute ? "/" + String.join("/", parts) : String.join("/", parts);
    }

    static String name(String path) {
        var clean = clean(path);
        return clean.equals("/") ? "/" : clean.substring(clean.lastIndexOf('/') + 1);
    }

    static String parent(String path) {
        var clean = clean(path);
        int slash = clean.lastIndexOf('/');
        return slash <= 0 ? slash < 0 ? "." : "/" : clean.substring(0, slash);
    }
}
