// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import java.util.List;

/// Nothing of a change set is in the target, and this is why. `paths`: where it shows.
public final class NotApplied extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient List<String> paths;

    NotApplied(String why) {
        this(why, List.of());
    }

    NotApplied(String why, List<String> paths) {
        super(why);
        this.paths = List.copyOf(paths);
    }

    public List<String> paths() {
        return paths == null ? List.of() : paths;
    }
}
