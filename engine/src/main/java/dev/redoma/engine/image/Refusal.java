// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.model.Code;
import dev.redoma.model.Layer;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;

/// How this package says no.
final class Refusal {
    private static final int SHOWN = 200;

    private Refusal() {}

    /// The image itself is wrong.
    static RedomaException image(String why) {
        return Problem.of(Code.ARCHIVE_REFUSED, "the image is refused: " + why, "Make the image anew, or take another.").raise();
    }

    static RedomaException image(String why, Throwable cause) {
        return Problem.of(Code.ARCHIVE_REFUSED, "the image is refused: " + why, "Make the image anew, or take another.").raise(cause);
    }

    /// The registry does not give what it should.
    static Problem registry(String what) {
        return Problem.of(Code.REGISTRY_FAILED, what, "Try again; see whether the registry works.").at(Layer.REGISTRY);
    }

    /// Foreign text for a message: printable and short.
    static String shown(String text) {
        var clean = text.codePoints().limit(SHOWN).map(c -> Character.isISOControl(c) || c > 0x7e ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
        return text.length() > SHOWN ? clean + "…" : clean;
    }
}
