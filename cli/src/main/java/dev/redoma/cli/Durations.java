// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.Amounts;
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

    static String text(long millis) {
        return Amounts.time(millis);
    }
}
