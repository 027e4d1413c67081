// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Problem;
import dev.redoma.model.wire.Exec;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Where a page of execs ended: `<start in microseconds>_<id>`.
record ExecCursor(long micros, String id) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18})_([a-z0-9]{20})");

    static ExecCursor parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return new ExecCursor(-1, "");
        }
        var m = FORM.matcher(text);
        if (!m.matches()) {
            throw Problem.field("cursor", "was not made here", "the 'next' of the page before");
        }
        return new ExecCursor(Long.parseLong(m.group(1)), m.group(2));
    }

    static String after(Exec last) {
        return ExecRows.micros(last.startedAt()) + "_" + last.id();
    }
}
