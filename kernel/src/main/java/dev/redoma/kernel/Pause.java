// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

/// A short sleep between two looks at something that the kernel does not tell about. An interrupt ends it early and is kept.
public final class Pause {
    private Pause() {}

    public static void millis(long millis) {
        nanos(millis * 1_000_000);
    }

    public static void nanos(long nanos) {
        try {
            Thread.sleep(java.time.Duration.ofNanos(nanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
