// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import java.util.concurrent.locks.ReentrantLock;

/// How often signatures may be tried that fit nothing: twenty at once, ten a second. One that fits costs nothing. Thread-safe.
final class Tries {
    private static final double MOST = 20;
    private static final double PER_SECOND = 10;

    private final ReentrantLock lock = new ReentrantLock();
    private double left = MOST;
    private long at = System.nanoTime();

    boolean take() {
        lock.lock();
        try {
            long now = System.nanoTime();
            left = Math.min(MOST, left + (now - at) / 1e9 * PER_SECOND);
            at = now;
            if (left < 1) {
                return false;
            }
            left--;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void found() {
        lock.lock();
        try {
            left = Math.min(MOST, left + 1);
        } finally {
            lock.unlock();
        }
    }
}
