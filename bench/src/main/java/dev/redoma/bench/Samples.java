// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.util.Arrays;

/// Measured values of one kind, in the unit their owner says; percentiles by nearest rank.
record Samples(double[] values) {

    Samples {
        if (values.length == 0) {
            throw new IllegalArgumentException("nothing was measured");
        }
        values = values.clone();
        Arrays.sort(values);
    }

    static Samples of(double value) {
        return new Samples(new double[] {value});
    }

    double percentile(double p) {
        return values[Math.max(0, (int) Math.ceil(p * values.length) - 1)];
    }

    double p50() {
        return percentile(0.50);
    }

    int n() {
        return values.length;
    }
}
