// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

/// Slows down who dials without end: a burst goes through, beyond it each step waits. One thread's.
final class Pace {
    private static final long PER_STEP = 250_000; // ns: 4,000 a second in the long run
    private static final long BURST = 500 * PER_STEP;

    private long debt;
    private long last = System.nanoTime();

    void step() throws InterruptedException {
        long now = System.nanoTime();
        debt = Math.max(0, debt - (now - last)) + PER_STEP;
        last = now;
        if (debt > BURST) {
            Thread.sleep(5);
        }
    }
}
