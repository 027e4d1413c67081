// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/// What a `.dockerignore` leaves out: patterns from the root with `*`, `?`, `[…]`, `**` for any depth, `!` to take something back in; the last
/// one that matches a path, or a directory above it, decides. Paths are raw bytes (one in each char), as in `RawName`.
public final class IgnoreRules {
    private static final int LARGEST = 1 << 20;
    private static final int MOST = 10_000;

    private record Rule(Pattern form, boolean keeps) {}

    private final List<Rule> rules = new ArrayList<>();
    private boolean anyKept;

    private IgnoreRules() {}

    /// Nothing is left out.
    public static IgnoreRules none() {
        return new IgnoreRules();
    }

    /// IllegalArgumentException names the line that is no pattern.
    public static IgnoreRules parse(byte[] text) {
        if (text.length > LARGEST) {
            throw new IllegalArgumentException("it is larger than " + LARGEST + " bytes");
        }
        var made = new IgnoreRules();
        var lines = new String(text, StandardCharsets.ISO_8859_1).split("\r?\n", -1);
        for (int i = 0; i < lines.length; i++) {
            var line = i == 0 && lines[i].startsWith("\u00EF\u00BB\u00BF") ? lines[i].substring(3) : lines[i];
            if (!line.startsWith("#") && !line.isBlank()) {
                made.add(line.strip(), i + 1);
            }
        }
        if (made.rules.size() > MOST) {
            throw new IllegalArgumentException("it has more than " + MOST + " patterns");
        }
        return made;
    }

    private void add(String line, int number) {
        boolean keeps = line.startsWith("!");
        var pattern = clean(keeps ? line.substring(1).strip() : line);
        if (pattern.isEmpty()) {
            return; // the root itself, as Docker has it
        }
        try {
            rules.add(new Rule(Pattern.compile(regex(pattern), Pattern.DOTALL), keeps));
            anyKept |= keeps;
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("line " + number + " is no pattern");
        }
    }

    /// Without `.`, `..` and empty parts, and without slashes around it.
    private static String clean(String pattern) {
        var parts = new ArrayList<String>();
        for (var part : pattern.split("/")) {
            if (part.equals("..") && !parts.isEmpty()) {
                parts.removeLast();
            } else if (!part.isEmpty() && !part.equals(".") && !part.equals("..")) {
                parts.add(part);
            }
        }
        return String.join("/", parts);
    }

    private static String regex(String pattern) {
        var out = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '*' && pattern.startsWith("**", i)) {
                i++;
                boolean slash = i + 1 < pattern.length() && pattern.charAt(i + 1) == '/';
                i += slash ? 1 : 0;
                out.append(slash ? "(?:.*/)?" : ".*");
            } else if (c == '*') {
                out.append("[^/]*");
            } else if (c == '?') {
                out.append("[^/]");
            } else if (c == '[') {
                int end = pattern.indexOf(']', i + 2);
                if (end < 0) {
                    throw new PatternSyntaxException("[ is not closed", pattern, i);
                }
                out.append('[').append(pattern.substring(i + 1, end).replace("\\", "\\\\").replace("[", "\\[").replace("&&", "&\\&")).append(']');
                i = end;
            } else if (c == '\\' && i + 1 < pattern.length()) {
                out.append(Pattern.quote(String.valueOf(pattern.charAt(++i))));
            } else {
                out.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return out.toString();
    }

    /// A path relative to the root, without a slash at its end.
    public boolean leavesOut(String path) {
        boolean out = false;
        for (var rule : rules) {
            if (out == rule.keeps() && matches(rule, path)) {
                out = !rule.keeps();
            }
        }
        return out;
    }

    private static boolean matches(Rule rule, String path) {
        for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
            if (rule.form().matcher(path.substring(0, end)).matches()) {
                return true;
            }
        }
        return false;
    }

    /// Whether something below a directory that is left out may be taken back in.
    boolean mayKeepBelow() {
        return anyKept;
    }
}
