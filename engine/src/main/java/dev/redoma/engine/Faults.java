// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Ends this process, without any clean-up, when it reaches the point named by the system property `redoma.fault`: how the tests
/// kill a server at chosen instants. Without the property it does nothing.
final class Faults {
    private static final @Nullable String POINT = System.getProperty("redoma.fault");

    private Faults() {}

    static void at(String point) {
        if (POINT != null && Objects.equals(POINT, point)) {
            Runtime.getRuntime().halt(137);
        }
    }
}
