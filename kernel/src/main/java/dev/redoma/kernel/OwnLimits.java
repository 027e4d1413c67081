// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/// The resource limits of this very process.
public final class OwnLimits {
    private static final int RLIMIT_NOFILE = 7;

    private OwnLimits() {}

    /// The hard limit on open files: without CAP_SYS_RESOURCE no child may have more.
    public static long openFiles() {
        try (var arena = Arena.ofConfined()) {
            var both = arena.allocate(ValueLayout.JAVA_LONG, 2);
            long r = Sys.retried(Nr.PRLIMIT64, 0, RLIMIT_NOFILE, 0, both.address(), 0, 0);
            Sys.check(r, "prlimit64", "");
            long hard = both.getAtIndex(ValueLayout.JAVA_LONG, 1);
            return hard < 0 ? Long.MAX_VALUE : hard;
        }
    }
}
