// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

/// An instruction with its line (from 1) and its text for people.
public record Step(int line, String text, Instruction what) {
    private static final int SHOWN = 200;

    public Step {
        text = text.strip().replaceAll("\\s+", " ").replaceAll("\\p{Cntrl}", "?");
        text = text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
    }
}
