// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;

/// Room on a file system (`statfs`), in bytes; `type` is its magic number.
public record FsStat(long type, long total, long free, long available) {
    public static final long BTRFS = 0x9123683EL;

    public static FsStat of(Fd fd) {
        try (var arena = Arena.ofConfined()) {
            var s = arena.allocate(120, 8);
            Sys.check(Sys.retried(Nr.FSTATFS, fd.number(), s.address(), 0), "fstatfs", fd.what());
            long block = s.get(JAVA_LONG, 8);
            return new FsStat(
                    s.get(JAVA_LONG, 0),
                    block * s.get(JAVA_LONG, 16),
                    block * s.get(JAVA_LONG, 24),
                    block * s.get(JAVA_LONG, 32));
        }
    }
}
