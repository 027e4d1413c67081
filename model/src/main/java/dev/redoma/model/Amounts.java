// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import java.time.Duration;

/// Amounts with their units as people read them: the one form of durations, sizes and counts in every text of ours. Rounded down.
public final class Amounts {
    private Amounts() {}

    /// `45 ms`, `12.3 s`, `5m 10s`, `24h 0m`.
    public static String time(long millis) {
        if (millis < 1000) {
            return millis + " ms";
        }
        if (millis < 60_000) {
            return millis / 1000 + "." + millis % 1000 / 100 + " s";
        }
        long minutes = millis / 60_000;
        return minutes < 60 ? minutes + "m " + millis % 60_000 / 1000 + "s" : minutes / 60 + "h " + minutes % 60 + "m";
    }

    public static String time(Duration duration) {
        return time(duration.toMillis());
    }

    /// `512 B`, `23.5 GiB`.
    public static String size(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        int power = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
        long tenths = (long) (bytes / Math.pow(1024, power) * 10);
        return tenths / 10 + "." + tenths % 10 + " " + "KMGTPE".charAt(power - 1) + "iB";
    }

    /// `1 file`, `2 files`; `one` is the singular of a word that takes an s.
    public static String count(long number, String one) {
        return number + " " + one + (number == 1 ? "" : "s");
    }

    /// A field's value as it is sent, and how people read it where its name tells its unit: `86400000 (24h 0m)`, `25276510208 (23.5 GiB)`.
    public static String ofField(String field, long value) {
        if (field.endsWith("Ms")) {
            return value + " (" + time(value) + ")";
        }
        boolean bytes = field.endsWith("Bytes") || field.endsWith("BytesPerSecond");
        return bytes && value >= 1024 ? value + " (" + size(value) + ")" : String.valueOf(value);
    }

    /// The bounds of a field.
    public static String ofField(String field, long least, long most) {
        return ofField(field, least) + " to " + ofField(field, most);
    }
}
