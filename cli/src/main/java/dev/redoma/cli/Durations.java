// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.time.Duration;
import java.util.regex.Pattern;

/// Durations as people write them: `250ms`, `90s`, `5m`, `2h`, `7d`, or `1h30m`.
final class Durations {
    private static final Pattern FORM = Pattern.compile("(?:(\\d{1,6})d)?(?:(\\d{1,8})h)?(?:(\\d{1,9})m(?!s))?(?:(\\d{1,9})s)?(?:(\\d{1,12})ms)?");

    private Durations() {}

    static Duration parse(String option, String text) {
        var m = FORM.matcher(text);
        if (text.isEmpty() || !m.matches()) {
            throw new Failed(Exit.USAGE, option + ": '" + text + "' is not a duration", "Write it as 250ms, 90s, 5m, 2h, 7d or 1h30m.");
        }
        return Duration.ofDays(part(m.group(1))).plusHours(part(m.group(2))).plusMinutes(part(m.group(3)))
                .plusSeconds(part(m.group(4))).plusMillis(part(m.group(5)));
    }

    private static long part(@org.jspecify.annotations.Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /// `1h 5m`, `12.3 s`, `45 ms`.
    static String text(long millis) {
        if (millis < 1000) {
            return millis + " ms";
        }
        if (millis < 60_000) {
            return millis / 1000 + "." + millis % 1000 / 100 + " s";
        }
        long minutes = millis / 60_000;
        return minutes < 60 ? minutes + "m " + millis % 60_000 / 1000 + "s" : minutes / 60 + "h " + minutes % 60 + "m";
    }
}
