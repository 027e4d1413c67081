// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.util.List;

/// Git's wildcards: `*`, `?` and `[…]` within one component, `**` as a component for any number of them, a backslash before what is meant literally.
final class Wild {
    private static final String ANY = "**";

    private Wild() {}

    /// Row by row: which beginnings of the path each beginning of the pattern matches.
    static boolean path(String glob, String path) {
        var pattern = List.of(glob.split("/", -1));
        var parts = List.of(path.split("/", -1));
        var reached = new boolean[parts.size() + 1];
        reached[0] = true;
        for (int p = 0; p < pattern.size(); p++) {
            var next = new boolean[parts.size() + 1];
            boolean any = pattern.get(p).equals(ANY);
            // At the end it means all that lies within, not the folder itself.
            boolean within = any && p == pattern.size() - 1 && p > 0;
            for (int i = 0; i <= parts.size(); i++) {
                boolean before = i > 0 && reached[i - 1];
                next[i] = any ? !within && reached[i] || i > 0 && (next[i - 1] || before) : before && name(pattern.get(p), parts.get(i - 1));
            }
            reached = next;
        }
        return reached[parts.size()];
    }

    static boolean name(String glob, String name) {
        int g = 0;
        int star = -1;
        int resume = 0;
        int n = 0;
        while (n < name.length()) {
            int taken = g < glob.length() ? one(glob, g, name.charAt(n)) : -1;
            if (g < glob.length() && glob.charAt(g) == '*') {
                star = g++;
                resume = n;
            } else if (taken > 0) {
                g += taken;
                n++;
            } else if (star >= 0) {
                g = star + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        while (g < glob.length() && glob.charAt(g) == '*') {
            g++;
        }
        return g == glob.length();
    }

    /// How many characters of the pattern stand for this one of the name; -1 where they do not.
    private static int one(String glob, int at, char c) {
        return switch (glob.charAt(at)) {
            case '?' -> 1;
            case '\\' -> at + 1 < glob.length() && glob.charAt(at + 1) == c ? 2 : -1;
            case '[' -> set(glob, at, c);
            default -> glob.charAt(at) == c ? 1 : -1;
        };
    }

    private static int set(String glob, int at, char c) {
        int i = at + 1;
        boolean not = i < glob.length() && (glob.charAt(i) == '!' || glob.charAt(i) == '^');
        i += not ? 1 : 0;
        boolean in = false;
        for (boolean first = true; i < glob.length() && (first || glob.charAt(i) != ']'); first = false) {
            if (glob.startsWith("[:", i) && glob.indexOf(":]", i) > 0) {
                int end = glob.indexOf(":]", i);
                in |= named(glob.substring(i + 2, end), c);
                i = end + 2;
                continue;
            }
            i += glob.charAt(i) == '\\' && i + 1 < glob.length() ? 1 : 0;
            char low = glob.charAt(i++);
            char high = low;
            if (i + 1 < glob.length() && glob.charAt(i) == '-' && glob.charAt(i + 1) != ']') {
                i += glob.charAt(i + 1) == '\\' && i + 2 < glob.length() ? 2 : 1;
                high = glob.charAt(i++);
            }
            in |= c >= low && c <= high;
        }
        return i < glob.length() && in != not ? i + 1 - at : -1;
    }

    private static boolean named(String set, char c) {
        boolean lower = c >= 'a' && c <= 'z';
        boolean upper = c >= 'A' && c <= 'Z';
        boolean digit = c >= '0' && c <= '9';
        return switch (set) {
            case "alnum" -> lower || upper || digit;
            case "alpha" -> lower || upper;
            case "digit" -> digit;
            case "lower" -> lower;
            case "upper" -> upper;
            case "space" -> c == ' ' || c >= 9 && c <= 13;
            case "blank" -> c == ' ' || c == '\t';
            case "xdigit" -> digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
            case "punct" -> c > ' ' && c < 127 && !lower && !upper && !digit;
            case "cntrl" -> c < ' ' || c == 127;
            case "graph" -> c > ' ' && c < 127;
            case "print" -> c >= ' ' && c < 127;
            default -> false;
        };
    }
}
