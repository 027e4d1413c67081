// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// What a changed file of a disk counts as. `CREDENTIALS` are found in files of every class. What a policy may order of each: packages
/// and other files are not scrubbed, a disk without them would be another one.
public enum ContentClass {
    PACKAGES(false),
    CACHES(true),
    HISTORY(true),
    BROWSER(true),
    TEMPORARY(true),
    CREDENTIALS(true),
    LOGS(true),
    OTHER(false);

    private final boolean scrubbed;

    ContentClass(boolean scrubbed) {
        this.scrubbed = scrubbed;
    }

    public boolean mayBeScrubbed() {
        return scrubbed;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<ContentClass> of(String wire) {
        return Stream.of(values()).filter(c -> c.wire().equals(wire)).findFirst();
    }
}
