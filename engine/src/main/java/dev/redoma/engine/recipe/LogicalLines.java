// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// The lines of a Dockerfile as Docker joins them: directives at the top, comments left out (between continued lines too), an escape at
/// the end of a line joins the next one to it.
final class LogicalLines {
    private static final Pattern DIRECTIVE = Pattern.compile("#\\s*([A-Za-z][A-Za-z0-9]*)\\s*=\\s*(.+?)\\s*");
    /// A longer one could not be run: the kernel takes 131,071 bytes for one argument.
    private static final int LONGEST = 131_071;

    private final Flaws flaws;
    private char escape = '\\';

    LogicalLines(Flaws flaws) {
        this.flaws = flaws;
    }

    /// A joined line and the number of its first.
    record Line(int number, String text) {}

    char escape() {
        return escape;
    }

    List<Line> of(String text) {
        var raw = text.split("\r?\n", -1);
        int next = directives(raw);
        var lines = new ArrayList<Line>();
        while (next < raw.length) {
            next = one(raw, next, lines);
        }
        return lines;
    }

    /// Only before anything else, comments and empty lines included.
    private int directives(String[] raw) {
        int at = 0;
        for (; at < raw.length; at++) {
            var found = DIRECTIVE.matcher(raw[at].strip());
            if (!found.matches()) {
                break;
            }
            var value = found.group(2);
            switch (found.group(1).toLowerCase(Locale.ROOT)) {
                case "escape" -> {
                    if (!value.equals("\\") && !value.equals("`")) {
                        throw flaws.at(at + 1, "escape is '" + Flaws.shown(value) + "', not \\ or `");
                    }
                    escape = value.charAt(0);
                }
                case "syntax", "check" -> {} // says which front end Docker would load; ours is what it is
                default -> {
                    return at; // an ordinary comment
                }
            }
        }
        return at;
    }

    private int one(String[] raw, int from, List<Line> lines) {
        int at = from;
        var joined = new StringBuilder();
        boolean continued = true;
        while (continued && at < raw.length) {
            var line = raw[at++];
            if (line.stripLeading().startsWith("#") || line.isBlank()) {
                if (joined.isEmpty()) {
                    return at;
                }
                continue;
            }
            continued = continues(line);
            joined.append(continued ? line.substring(0, line.stripTrailing().length() - 1) : line);
            if (joined.length() > LONGEST) {
                throw flaws.at(from + 1, "the instruction is longer than " + LONGEST + " characters");
            }
        }
        if (!joined.toString().isBlank()) {
            lines.add(new Line(from + 1, joined.toString().strip()));
        }
        return at;
    }

    private boolean continues(String line) {
        var end = line.stripTrailing();
        int n = end.length();
        return n > 0 && end.charAt(n - 1) == escape && (n == 1 || end.charAt(n - 2) != escape);
    }
}
