// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.keys;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// A token bucket for each key. Thread-safe.
public final class Rates {
    private final double perSecond;
    private final double burst;
    private final LongSupplier nanoTime;
    private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();

    public Rates(double perSecond, double burst, LongSupplier nanoTime) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.nanoTime = nanoTime;
    }

    /// Takes one; RATE_LIMITED with the seconds to wait where there is none.
    public void take(String key) {
        double missing = buckets.computeIfAbsent(key, k -> new Bucket(burst, nanoTime.getAsLong())).take();
        if (missing > 0) {
            long wait = Math.max(1, (long) Math.ceil(missing / perSecond));
            throw Problem.of(Code.RATE_LIMITED, "This key sends more than " + (long) perSecond + " requests a second.", "Wait " + wait + " s.")
                    .with("limit", (long) perSecond).with("retryAfterSeconds", wait).raise();
        }
    }

    public void forget(String key) {
        buckets.remove(key);
    }

    private final class Bucket {
        private double tokens;
        private long at;

        Bucket(double tokens, long at) {
            this.tokens = tokens;
            this.at = at;
        }

        /// 0, or how many tokens are missing.
        synchronized double take() {
            long now = nanoTime.getAsLong();
            tokens = Math.min(burst, tokens + (now - at) / 1e9 * perSecond);
            at = now;
            if (tokens < 1) {
                return 1 - tokens;
            }
            tokens--;
            return 0;
        }
    }
}
