// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import java.util.concurrent.locks.ReentrantLock;

/// How often something may be tried that fits nothing: twenty times at once, ten a second. What fits costs nothing. Thread-safe.
final class Tries {
    static final double MOST = 20;
    private static final double PER_SECOND = 10;

    private final ReentrantLock lock = new ReentrantLock();
    private double left = MOST;
    private long at = System.nanoTime();

    boolean take() {
        lock.lock();
        try {
            boolean some = some();
            left -= some ? 1 : 0;
            return some;
        } finally {
            lock.unlock();
        }
    }

    /// Whether one more may be tried; nothing is taken yet.
    boolean may() {
        lock.lock();
        try {
            return some();
        } finally {
            lock.unlock();
        }
    }

    /// It fitted nothing. Those that were tried at the same time count as well, beyond what was left.
    void failed() {
        lock.lock();
        try {
            left = Math.max(-MOST, left - 1);
        } finally {
            lock.unlock();
        }
    }

    private boolean some() {
        long now = System.nanoTime();
        left = Math.min(MOST, left + (now - at) / 1e9 * PER_SECOND);
        at = now;
        return left >= 1;
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
