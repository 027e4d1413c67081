// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Makes the problem of a recipe that cannot be taken: file, line, column and why.
final class Flaws {
    private static final String REMEDY = "Correct it there; docs/templates.md says what is taken.";

    private final String name;

    Flaws(String name) {
        this.name = shown(name, 100);
    }

    /// Line and column from 1; 0 where there is none to tell.
    RedomaException at(int line, int column, String why) {
        var place = name + (line > 0 ? ", line " + line : "") + (column > 0 ? ", column " + column : "");
        var problem = Problem.of(Code.RECIPE_REFUSED, place + ": " + why + ".", REMEDY);
        if (line > 0) {
            problem = problem.with("line", line);
        }
        return (column > 0 ? problem.with("column", column) : problem).raise();
    }

    RedomaException at(int line, String why) {
        return at(line, 0, why);
    }

    /// Text without NUL, or the line at fault.
    String utf8(byte[] text) {
        int line = 1;
        for (byte b : text) {
            if (b == 0) {
                throw at(line, "it holds a NUL");
            }
            line += b == '\n' ? 1 : 0;
        }
        try {
            var decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
            return decoded.startsWith("\uFEFF") ? decoded.substring(1) : decoded;
        } catch (CharacterCodingException e) {
            throw at(0, 0, "it is not UTF-8");
        }
    }

    static String shown(String text) {
        return shown(text, 60);
    }

    private static String shown(String text, int most) {
        var cut = text.length() > most ? text.substring(0, most) + "…" : text;
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
