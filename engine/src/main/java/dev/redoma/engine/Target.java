// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.Locale;

/// An effect that was begun and not yet confirmed; what a restarted server finishes or undoes.
enum Target {
    CREATE, START, STOP, PAUSE, RESUME, RESET, KILL;

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Target of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
