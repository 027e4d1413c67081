// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

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
}
