// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.util.Locale;

/// One line of the report: our figure beside the floor taken in the same run, and the bar it is held against. `ratio` is ours
/// to the floor's (for rates: higher is better); `met` says whether the bar held.
record Figure(String name, String unit, Samples ours, String floorName, double floor, Bar bar) {

    double ratio() {
        return ours.p50() / floor;
    }

    boolean met() {
        return bar.holds(this);
    }

    String json() {
        return String.format(Locale.ROOT,
                "{\"name\":\"%s\",\"unit\":\"%s\",\"n\":%d,\"p50\":%s,\"p95\":%s,\"p99\":%s,"
                        + "\"floor\":{\"name\":\"%s\",\"p50\":%s},\"ratio\":%s,\"bar\":\"%s\",\"met\":%b}",
                name, unit, ours.n(), number(ours.p50()), number(ours.percentile(0.95)), number(ours.percentile(0.99)),
                floorName, number(floor), number(ratio()), bar.text(), met());
    }

    String line() {
        return String.format(Locale.ROOT, "%-14s %10s %-6s p99 %10s   floor %-18s %10s   ratio %6.2f   %s %s",
                name, number(ours.p50()), unit, number(ours.percentile(0.99)), floorName, number(floor), ratio(),
                met() ? "met   " : "MISSED", bar.text());
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%.1f" : "%.3f", value);
    }
}
