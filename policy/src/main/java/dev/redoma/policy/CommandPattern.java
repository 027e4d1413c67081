// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// A command as a rule names it: its words with single spaces between, `*` for any characters. It meets a command by its words, with the program's path or without, and what a shell is given by `-c`, whole and command by
/// command. Advisory: a program can be called in ways that no pattern foresees.
public record CommandPattern(String text) {
    private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "ash", "zsh", "ksh", "busybox");

    public boolean matches(List<String> argv) {
        return forms(argv).stream().anyMatch(this::fits);
    }

    /// Words before a command, after which another begins; variables set for it are passed over as well.
    private static final Set<String> BEFORE = Set.of("then", "do", "else", "elif", "if", "while", "until", "!", "time", "exec", "command", "builtin", "eval", "env", "nohup", "sudo", "doas", "setsid", "nice", "xargs", "timeout", "stdbuf", "coproc");
    private static final Pattern SET = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*\\+?=.*", Pattern.DOTALL);
    private static final Pattern OPTION = Pattern.compile("-.*|[0-9][0-9.]*[smhd]?", Pattern.DOTALL);

    private static final int DEEP = 16;

    private static List<String> forms(List<String> argv) {
        var forms = new ArrayList<String>();
        forms.add(String.join(" ", argv));
        for (int from = 0, deep = 0; from >= 0 && deep < DEEP; from = next(argv, from), deep++) {
            command(argv.subList(from, argv.size()), forms);
        }
        return forms;
    }

    private static void command(List<String> words, List<String> forms) {
        var program = base(words.getFirst());
        forms.add(String.join(" ", words));
        forms.add((program + " " + String.join(" ", words.subList(1, words.size()))).strip());
        if (SHELLS.contains(program)) {
            int option = 1;
            while (option < words.size() && !(words.get(option).startsWith("-") && !words.get(option).startsWith("--") && words.get(option).contains("c"))) {
                option++;
            }
            words.stream().skip(option + 1L).filter(w -> !w.startsWith("-")).findFirst().ifPresent(script -> inner(script, forms));
        }
    }

    /// Where the next command begins that the words from `from` on run; -1: there is none.
    private static int next(List<String> words, int from) {
        boolean before = BEFORE.contains(base(words.get(from)));
        if (!before && !SET.matcher(words.get(from)).matches()) {
            return -1;
        }
        int at = from + 1;
        while (before && at < words.size() && OPTION.matcher(words.get(at)).matches()) {
            at++;
        }
        return at < words.size() ? at : -1;
    }

    private static void inner(String script, List<String> forms) {
        forms.add(script);
        for (String part : script.split("[\\n;|&(){}`]+|\\$\\(")) {
            for (var command : List.of(part, part.replaceAll("[\"'\\\\]", ""))) {
                var words = Arrays.stream(command.strip().split("\\s+")).filter(w -> !w.isEmpty()).toList();
                for (int from = words.isEmpty() ? -1 : 0, deep = 0; from >= 0 && deep < DEEP; from = next(words, from), deep++) {
                    forms.add(String.join(" ", words.subList(from, words.size())));
                    forms.add((base(words.get(from)) + " " + String.join(" ", words.subList(from + 1, words.size()))).strip());
                }
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
