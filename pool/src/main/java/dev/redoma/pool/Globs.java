// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.model.Problem;
import java.util.List;
import java.util.stream.Stream;

/// Patterns over paths below a directory: `*` and `?` within one component, `**` for any number of them. A pattern without a slash is looked for
/// at every depth; what lies below a match matches. Their cost is bounded by the lengths of pattern and path, whatever they are.
record Globs(List<List<String>> patterns) {
    private static final int MOST = 64;
    private static final int LONGEST = 1024;
    private static final String ANY = "**";

    static Globs of(List<String> globs) {
        if (globs.size() > MOST || globs.stream().anyMatch(g -> g.isBlank() || g.length() > LONGEST)) {
            throw Problem.field("include", "not patterns", "at most " + MOST + " of 1 to " + LONGEST + " characters");
        }
        return new Globs(globs.stream().map(Globs::parts).toList());
    }

    private static List<String> parts(String glob) {
        var parts = Stream.of(glob.split("/")).filter(p -> !p.isEmpty() && !p.equals(".")).toList();
        boolean anywhere = parts.size() == 1 && !glob.startsWith("/");
        return anywhere ? List.of(ANY, parts.getFirst()) : parts;
    }

    boolean all() {
        return patterns.isEmpty();
    }

    /// `path`: its components below the directory.
    boolean match(List<String> path) {
        return all() || patterns.stream().anyMatch(p -> match(p, path));
    }

    /// Row by row: which beginnings of the path each beginning of the pattern matches.
    private static boolean match(List<String> pattern, List<String> path) {
        var reached = new boolean[path.size() + 1];
        reached[0] = true;
        for (var part : pattern) {
            var next = new boolean[path.size() + 1];
            for (int i = 0; i <= path.size(); i++) {
                if (part.equals(ANY)) {
                    next[i] = reached[i] || i > 0 && next[i - 1];
                } else {
                    next[i] = i > 0 && reached[i - 1] && component(part, path.get(i - 1));
                }
            }
            reached = next;
        }
        for (boolean beginning : reached) {
            if (beginning) {
                return true;
            }
        }
        return false;
    }

    static boolean component(String pattern, String name) {
        int p = 0;
        int star = -1;
        int resume = 0;
        for (int n = 0; n < name.length(); ) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = n;
            } else if (p < pattern.length() && (pattern.charAt(p) == '?' || pattern.charAt(p) == name.charAt(n))) {
                p++;
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
