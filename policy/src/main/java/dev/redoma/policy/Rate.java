// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.time.Duration;

/// At most `count` within `per`: requests where the gateway sees them, connections where it does not.
public record Rate(long count, Duration per) {

    public Rate {
        if (count < 1 || per.isNegative() || per.isZero()) {
            throw new IllegalArgumentException("a rate needs a count and a time");
        }
    }

    @Override
    public String toString() {
        return count + "/" + switch ((int) per.toSeconds()) {
            case 1 -> "s";
            case 60 -> "m";
            case 3600 -> "h";
            default -> per.toString();
        };
    }
}
