// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.util.Locale;

/// What is done about a class of contents: it stays, it is taken out, or nothing with it in is saved at all.
public enum Order {
    // From lax to strict.
    KEEP, SCRUB, REFUSE;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
