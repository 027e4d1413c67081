// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

/// Patterns of one name, as Go's `filepath.Match` has them: `*`, `?`, `[a-z]`, `[^a]`, and a backslash before what is meant literally.
public final class Glob {
    private static final int LONGEST = 4096;

    private Glob() {}

    public static boolean isPattern(String text) {
        return text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '\\');
    }

    /// False where the pattern is malformed, too. Time grows with pattern × name, whatever they are.
    public static boolean matches(String pattern, String name) {
        if (pattern.length() > LONGEST) {
            return false;
        }
        int p = 0;
        int n = 0;
        int starAt = -1;
        int starName = 0;
        while (n < name.length()) {
            int next = p < pattern.length() && pattern.charAt(p) != '*' ? one(pattern, p, name.charAt(n)) : -1;
            if (next > 0) {
                p = next;
                n++;
            } else if (p < pattern.length() && pattern.charAt(p) == '*') {
                starAt = p++;
                starName = n;
            } else if (starAt >= 0) {
                p = starAt + 1;
                n = ++starName;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    /// Where the pattern goes on after matching one character, or -1.
    private static int one(String pattern, int p, char c) {
        return switch (pattern.charAt(p)) {
            case '?' -> p + 1;
            case '[' -> set(pattern, p + 1, c);
            case '\\' -> p + 1 < pattern.length() && pattern.charAt(p + 1) == c ? p + 2 : -1;
            default -> pattern.charAt(p) == c ? p + 1 : -1;
        };
    }

    private static int set(String pattern, int from, char c) {
        int p = from;
        boolean not = p < pattern.length() && pattern.charAt(p) == '^';
        p += not ? 1 : 0;
        boolean in = false;
        for (int first = p; p < pattern.length() && (pattern.charAt(p) != ']' || p == first); ) {
            p += pattern.charAt(p) == '\\' ? 1 : 0;
            if (p >= pattern.length()) {
                return -1;
            }
            char low = pattern.charAt(p++);
            char high = low;
            if (p + 1 < pattern.length() && pattern.charAt(p) == '-' && pattern.charAt(p + 1) != ']') {
                p += pattern.charAt(p + 1) == '\\' ? 2 : 1;
                if (p >= pattern.length()) {
                    return -1;
                }
                high = pattern.charAt(p++);
            }
            in |= low <= c && c <= high;
        }
        return p < pattern.length() && in != not ? p + 1 : -1;
    }
}
