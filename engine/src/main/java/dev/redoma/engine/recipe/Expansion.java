// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Variables in a word as Docker substitutes them: `$x`, `${x}`, `${x:-word}`, `${x-word}`, `${x:+word}`, `${x+word}`; single quotes keep
/// what is in them, double quotes do not, and quotes and escapes themselves go. Without an escape character quotes are ordinary.
public final class Expansion {
    private static final int DEEPEST = 20;
    private static final int LONGEST = 1 << 20;

    private final String text;
    private final @Nullable Character escape;
    private final Map<String, String> variables;
    private final int depth;
    private final StringBuilder out = new StringBuilder();
    private int at;

    private Expansion(String text, @Nullable Character escape, Map<String, String> variables, int depth) {
        this.text = text;
        this.escape = escape;
        this.variables = variables;
        this.depth = depth;
    }

    /// What is wrong with a word.
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String why) {
            super(why, null, false, false);
        }

        public String why() {
            return String.valueOf(getMessage());
        }
    }

    public static String of(String word, @Nullable Character escape, Map<String, String> variables) throws Malformed {
        return new Expansion(word, escape, variables, 0).whole();
    }

    private String whole() throws Malformed {
        if (depth > DEEPEST) {
            throw new Malformed("variables are nested deeper than " + DEEPEST);
        }
        while (at < text.length()) {
            char c = text.charAt(at);
            if (escape == null) {
                plain(c);
            } else if (c == '\'') {
                single();
            } else if (c == '"') {
                doubled();
            } else if (c == escape) {
                at++;
                if (at < text.length()) {
                    add(text.charAt(at++));
                }
            } else {
                plain(c);
            }
        }
        return out.toString();
    }

    private void plain(char c) throws Malformed {
        if (c == '$') {
            dollar();
        } else {
            add(c);
            at++;
        }
    }

    private void add(char c) throws Malformed {
        add(String.valueOf(c));
    }

    private void add(String more) throws Malformed {
        if (out.length() + more.length() > LONGEST) {
            throw new Malformed("the value becomes longer than " + LONGEST + " characters");
        }
        out.append(more);
    }

    private void single() throws Malformed {
        int end = text.indexOf('\'', at + 1);
        if (end < 0) {
            throw new Malformed("a single quote is not closed");
        }
        add(text.substring(at + 1, end));
        at = end + 1;
    }

    private void doubled() throws Malformed {
        at++;
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at);
            boolean escaped = escape != null && c == escape && at + 1 < text.length();
            if (escaped && (text.charAt(at + 1) == '"' || text.charAt(at + 1) == '$' || text.charAt(at + 1) == c)) {
                add(text.charAt(at + 1));
                at += 2;
            } else {
                plain(c);
            }
        }
        if (at >= text.length()) {
            throw new Malformed("a double quote is not closed");
        }
        at++;
    }

    private void dollar() throws Malformed {
        at++;
        if (at < text.length() && text.charAt(at) == '{') {
            braced();
            return;
        }
        int end = nameEnd(at);
        if (end == at) {
            add('$');
            return;
        }
        add(variables.getOrDefault(text.substring(at, end), ""));
        at = end;
    }

    private int nameEnd(int from) {
        int end = from;
        while (end < text.length() && (isLetter(text.charAt(end)) || end > from && Character.isDigit(text.charAt(end)))) {
            end++;
        }
        return end;
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
    }

    private void braced() throws Malformed {
        int from = at + 1;
        int end = nameEnd(from);
        int close = closing(from);
        if (end == from) {
            throw new Malformed("${ is not followed by a name");
        }
        var name = text.substring(from, end);
        var rest = text.substring(end, close);
        at = close + 1;
        add(modified(name, rest));
    }

    /// The brace that closes, braces of inner variables counted.
    private int closing(int from) throws Malformed {
        int open = 1;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (escape != null && c == escape) {
                i++;
            } else if (c == '{' && text.charAt(i - 1) == '$') {
                open++;
            } else if (c == '}' && --open == 0) {
                return i;
            }
        }
        throw new Malformed("${ is not closed");
    }

    private String modified(String name, String rest) throws Malformed {
        var value = variables.get(name);
        if (rest.isEmpty()) {
            return value == null ? "" : value;
        }
        boolean colon = rest.charAt(0) == ':';
        boolean set = value != null && !(colon && value.isEmpty());
        var operator = colon ? rest.substring(1) : rest;
        if (operator.isEmpty()) {
            throw new Malformed("${" + name + rest + "} has no known form");
        }
        var word = operator.substring(1);
        return switch (operator.charAt(0)) {
            case '-' -> set && value != null ? value : inner(word);
            case '+' -> set ? inner(word) : "";
            case '?' -> {
                if (!set || value == null) {
                    throw new Malformed(name + " is not set: " + Flaws.shown(inner(word)));
                }
                yield value;
            }
            default -> throw new Malformed("${" + name + "…} has a form that is not taken: only :- - :+ + :? ?");
        };
    }

    private String inner(String word) throws Malformed {
        return new Expansion(word, escape, variables, depth + 1).whole();
    }

    /// Splits at spaces outside of quotes; quotes and escapes stay in the words.
    static List<String> words(String text, char escape) throws Malformed {
        var words = new ArrayList<String>();
        var word = new StringBuilder();
        char quote = 0;
        boolean inWord = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote == 0 && Character.isWhitespace(c)) {
                if (inWord) {
                    words.add(word.toString());
                    word.setLength(0);
                    inWord = false;
                }
                continue;
            }
            inWord = true;
            word.append(c);
            if (c == escape && quote != '\'' && i + 1 < text.length()) {
                word.append(text.charAt(++i));
            } else if (quote == 0 && (c == '\'' || c == '"')) {
                quote = c;
            } else if (c == quote) {
                quote = 0;
            }
        }
        if (quote != 0) {
            throw new Malformed("a quote is not closed");
        }
        if (inWord) {
            words.add(word.toString());
        }
        return words;
    }
}
