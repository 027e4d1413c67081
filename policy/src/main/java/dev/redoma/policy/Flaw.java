// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

/// What cannot be taken in a policy file, and where. Line and column from 1; 0 where there is none to tell. `unenforceable`: it means something that this version does not enforce.
public record Flaw(int line, int column, String why, boolean unenforceable) {

    /// Text of the file as it can be shown: short, on one line.
    static String shown(String text) {
        var out = new StringBuilder();
        text.codePoints().limit(80).forEach(c -> out.append(c < ' ' || c == 0x7f || Character.getType(c) == Character.FORMAT ? String.format("\\u%04x", c) : Character.toString(c)));
        return text.codePointCount(0, text.length()) > 80 ? out + "…" : out.toString();
    }

    String at(String source) {
        return source + (line > 0 ? ", line " + line : "") + (column > 0 ? ", column " + column : "") + ": " + why;
    }

    /// Thrown while a file is read; never leaves this room.
    static final class Found extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Flaw flaw;

        Found(Flaw flaw) {
            super(flaw.why(), null, false, false);
            this.flaw = flaw;
        }

        Flaw flaw() {
            return flaw;
        }
    }
}
