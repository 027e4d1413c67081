// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.List;

/// Text as a human can judge it: what cannot be seen, or changes what is seen of the rest, is written out (`\u202e`, `\n`), and so is a backslash (`\\`). Two texts never look the same by this, but for letters that
/// resemble each other.
final class Visible {
    private Visible() {}

    static String of(String text) {
        var out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                case '\r' -> out.append("\\r");
                default -> {
                    if (hidden(c)) {
                        out.append(c > 0xffff ? String.format("\\U%08x", c) : String.format("\\u%04x", c));
                    } else {
                        out.appendCodePoint(c);
                    }
                }
            }
        });
        return out.toString();
    }

    static List<String> of(List<String> words) {
        return words.stream().map(Visible::of).toList();
    }

    /// Controls, format characters (the bidirectional ones are such), surrogates, what is not assigned or private, blanks that are not the blank, and all that fonts draw as nothing.
    private static boolean hidden(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            case Character.SPACE_SEPARATOR -> c != ' ';
            default -> c == 0x034f || c == 0x115f || c == 0x1160 || c == 0x17b4 || c == 0x17b5 || c >= 0x180b && c <= 0x180f || c == 0x2800 || c == 0x3164 || c >= 0xfe00 && c <= 0xfe0f || c == 0xffa0
                    || c >= 0xe0000 && c <= 0xe0fff;
        };
    }
}
