// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.Pause;
import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/// A bounded wait for something the kernel does by itself, looked at first at once and then at growing distances.
final class Await {
    private static final Duration AT_MOST = Duration.ofSeconds(10);
    private static final long FIRST_NANOS = 200_000;
    private static final long SLOWEST_NANOS = 20_000_000;

    private Await() {}

    static void until(String what, BooleanSupplier done) {
        long end = System.nanoTime() + AT_MOST.toNanos();
        for (long pause = FIRST_NANOS; !done.getAsBoolean(); pause = Math.min(SLOWEST_NANOS, pause + pause / 2)) {
            if (System.nanoTime() >= end) {
                throw Problem.of(
                                Code.HOST_FAILED,
                                what + " took longer than " + Amounts.time(AT_MOST),
                                "Try again; if it stays so, ask the operator to look for processes stuck in the kernel.")
                        .raise();
            }
            Pause.nanos(pause);
        }
    }
}
