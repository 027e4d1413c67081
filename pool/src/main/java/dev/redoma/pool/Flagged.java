// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.util.Map;

/// What flags of changes mean.
public final class Flagged {
    private Flagged() {}

    /// Why each is one.
    public static Map<String, String> reasons() {
        return Flags.REASONS;
    }
}
