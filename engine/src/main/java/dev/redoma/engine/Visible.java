// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.List;
import java.util.Set;

/// Text as a human can judge it: what cannot be seen, or changes what is seen of the rest, is written out (`\u202e`, `\n`), and so is a backslash (`\\`). Two texts never look the same by this, but for letters that
/// resemble each other.
final class Visible {
    private static final Set<Byte> RIGHT_TO_LEFT = Set.of(Character.DIRECTIONALITY_RIGHT_TO_LEFT, Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC, Character.DIRECTIONALITY_ARABIC_NUMBER);

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

    /// Controls, format characters (the bidirectional ones are such), surrogates, what is not assigned or private, blanks that are not the blank, marks, which are drawn over others or not at all, letters that are written from right to left and so move
    /// digits and signs beside them, and all that fonts draw as nothing.
    private static boolean hidden(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.COMBINING_SPACING_MARK -> true;
            case Character.SPACE_SEPARATOR -> c != ' ';
            default -> RIGHT_TO_LEFT.contains(Character.getDirectionality(c)) || c == 0x1d159 || c == 0x034f || c == 0x115f || c == 0x1160 || c == 0x17b4 || c == 0x17b5 || c >= 0x180b && c <= 0x180f || c == 0x2800 || c == 0x3164 || c >= 0xfe00 && c <= 0xfe0f || c == 0xffa0
                    || c >= 0xe0000 && c <= 0xe0fff;
        };
    }
}
