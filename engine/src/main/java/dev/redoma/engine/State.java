// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.Locale;

/// Where a sandbox stands. `creating` is left within seconds; `lost` and `stopped` keep the disk; `ended` keeps the record only.
enum State {
    CREATING, RUNNING, PAUSED, STOPPED, ARCHIVED, LOST, ENDED;

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    static State of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }

    /// It has an instance whose processes exist.
    boolean holdsInstance() {
        return this == RUNNING || this == PAUSED;
    }
}
