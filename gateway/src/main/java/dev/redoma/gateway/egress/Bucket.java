// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.util.concurrent.locks.LockSupport;

/// Lets through so many a second, and more at once up to its size. Thread-safe.
final class Bucket {
    private final double size;
    private final double perSecond;
    private double left;
    private long at = System.nanoTime();

    Bucket(double size, double perSecond) {
        this.size = size;
        this.perSecond = perSecond;
        this.left = size;
    }

    synchronized boolean take() {
        long now = System.nanoTime();
        left = Math.min(size, left + (now - at) / 1e9 * perSecond);
        at = now;
        if (left < 1) {
            return false;
        }
        left--;
        return true;
    }

    /// In how many nanoseconds another will be let through, if nobody else is.
    synchronized long next() {
        double now = Math.min(size, left + (System.nanoTime() - at) / 1e9 * perSecond);
        return now >= 1 ? 0 : (long) ((1 - now) / perSecond * 1e9);
    }

    /// Waits for its turn: what comes faster stays where it is.
    void await() {
        long turn = System.nanoTime() + reserve();
        for (long wait = turn - System.nanoTime(); wait > 0 && !Thread.currentThread().isInterrupted(); wait = turn - System.nanoTime()) {
            LockSupport.parkNanos(wait);
        }
    }

    /// In how many nanoseconds it is the turn of whoever asks.
    private synchronized long reserve() {
        long now = System.nanoTime();
        left = Math.min(size, left + (now - at) / 1e9 * perSecond) - 1;
        at = now;
        return left >= 0 ? 0 : (long) (-left / perSecond * 1e9);
    }
}
