// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A command as a rule names it: its words with single spaces between, `*` for any characters. It meets a command by its words, with the program's path or without, and what a shell is given by `-c`, whole and command by
/// command. Advisory: a program can be called in ways that no pattern foresees.
public record CommandPattern(String text) {
    private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "ash", "zsh", "ksh", "busybox");

    public boolean matches(List<String> argv) {
        return forms(argv).stream().anyMatch(this::fits);
    }

    private static List<String> forms(List<String> argv) {
        var forms = new ArrayList<String>();
        forms.add(String.join(" ", argv));
        forms.add(base(argv.getFirst()) + String.join(" ", argv).substring(argv.getFirst().length()));
        if (SHELLS.contains(base(argv.getFirst()))) {
            for (int i = 1; i + 1 < argv.size(); i++) {
                if (argv.get(i).startsWith("-") && !argv.get(i).startsWith("--") && argv.get(i).endsWith("c")) {
                    inner(argv.get(i + 1), forms);
                    break;
                }
            }
        }
        return forms;
    }

    private static void inner(String script, List<String> forms) {
        forms.add(script);
        for (String part : script.split("[\\n;|&(){}`]+|\\$\\(")) {
            String command = part.strip().replaceAll("\\s+", " ");
            if (!command.isEmpty()) {
                forms.add(command);
                int end = command.indexOf(' ');
                forms.add(base(end < 0 ? command : command.substring(0, end)) + (end < 0 ? "" : command.substring(end)));
            }
        }
    }

    private static String base(String program) {
        return program.substring(program.lastIndexOf('/') + 1);
    }

    /// In one pass with one place to come back to: no text makes it slow.
    private boolean fits(String command) {
        int p = 0;
        int c = 0;
        int star = -1;
        int from = 0;
        while (c < command.length()) {
            if (p < text.length() && text.charAt(p) == '*') {
                star = p++;
                from = c;
            } else if (p < text.length() && text.charAt(p) == command.charAt(c)) {
                p++;
                c++;
            } else if (star >= 0) {
                p = star + 1;
                c = ++from;
            } else {
                return false;
            }
        }
        while (p < text.length() && text.charAt(p) == '*') {
            p++;
        }
        return p == text.length();
    }

    @Override
    public String toString() {
        return text;
    }
}
