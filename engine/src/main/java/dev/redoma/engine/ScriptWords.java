// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which words of a command name a file that will be run: the program, where it is named by a path, and the script of the forms of interpreters that are known here. Others hide in what a shell is given by `-c`, or
/// behind programs that run programs. Pure.
final class ScriptWords {
    /// `code`: options after which no script comes, for the code is in the words themselves or is looked for elsewhere; short ones count in a cluster (`-lc`). `value`: options whose value is the next word.
    private record Form(Set<String> code, Set<String> value) {}

    private static final Form SHELL = new Form(Set.of("-c"), Set.of("-o", "+o", "-O", "+O", "--rcfile", "--init-file"));
    private static final Form PYTHON = new Form(Set.of("-c", "-m"), Set.of("-W", "-X", "--check-hash-based-pycs"));
    private static final Form NODE = new Form(Set.of("-e", "-p", "--eval", "--print"), Set.of("-r", "-C", "--require", "--import", "--conditions", "--env-file", "--loader"));
    private static final Form RUBY = new Form(Set.of("-e"), Set.of("-I", "-r", "-C"));
    private static final Form PERL = new Form(Set.of("-e", "-E"), Set.of("-I"));
    private static final Form PHP = new Form(Set.of("-r"), Set.of("-c", "-d"));
    private static final Map<String, Form> FORMS = Map.ofEntries(Map.entry("sh", SHELL), Map.entry("bash", SHELL), Map.entry("dash", SHELL), Map.entry("ash", SHELL), Map.entry("ksh", SHELL), Map.entry("zsh", SHELL),
            Map.entry("python", PYTHON), Map.entry("python2", PYTHON), Map.entry("python3", PYTHON), Map.entry("node", NODE), Map.entry("nodejs", NODE), Map.entry("ruby", RUBY), Map.entry("perl", PERL), Map.entry("php", PHP));

    private ScriptWords() {}

    static List<String> of(List<String> argv) {
        var words = new ArrayList<String>();
        var program = argv.getFirst();
        if (program.contains("/")) {
            words.add(program);
        }
        var form = FORMS.get(name(program));
        if (form != null) {
            script(argv.subList(1, argv.size()), form, words);
        }
        return words;
    }

    /// Without its directory and a version (`python3.12`).
    private static String name(String program) {
        return program.substring(program.lastIndexOf('/') + 1).replaceAll("\\.[0-9]+$", "");
    }

    private static void script(List<String> words, Form form, List<String> to) {
        for (int i = 0; i < words.size(); i++) {
            var word = words.get(i);
            if (word.equals("--")) {
                words.stream().skip(i + 1L).findFirst().ifPresent(to::add);
                return;
            }
            if (word.equals("-") || code(word, form)) {
                return;
            }
            if (form.value.contains(word)) {
                i++;
            } else if (!word.startsWith("-") && !(form == SHELL && word.startsWith("+"))) {
                to.add(word);
                return;
            }
        }
    }

    private static boolean code(String word, Form form) {
        boolean cluster = word.length() > 1 && word.startsWith("-") && !word.startsWith("--");
        return form.code.stream().anyMatch(c -> word.equals(c) || c.startsWith("--") && word.startsWith(c + "=") || cluster && c.length() == 2 && !form.value.contains(word.substring(0, 2)) && word.indexOf(c.charAt(1)) > 0);
    }
}
