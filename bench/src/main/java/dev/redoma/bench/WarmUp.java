// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.time.Duration;

/// Calls a server until it is no longer getting faster, as one in service is: the JVM has compiled by then what is hot.
final class WarmUp {
    private static final int BLOCK = 200;
    private static final int WITHOUT_GAIN = 4;
    private static final double GAIN = 0.97;
    private static final Duration MOST = Duration.ofSeconds(40);

    private WarmUp() {}

    /// Returns when the median of several blocks in a row was no better than that of an earlier one, or after a while.
    static void until(Runnable call) {
        double best = Double.MAX_VALUE;
        long end = System.nanoTime() + MOST.toNanos();
        for (int stale = 0; stale < WITHOUT_GAIN && System.nanoTime() < end; ) {
            double median = block(call).p50();
            stale = median < best * GAIN ? 0 : stale + 1;
            best = Math.min(best, median);
        }
    }

    private static Samples block(Runnable call) {
        var times = new double[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            long start = System.nanoTime();
            call.run();
            times[i] = (System.nanoTime() - start) / 1e6;
        }
        return new Samples(times);
    }
}
