// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Secret;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Redact;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Values that are to be masked, as a request gives them. What is refused is named, its value never shown.
final class RedactRules {
    static final int VALUES = 100;
    private static final int ALL = 128 << 10;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");

    private RedactRules() {}

    static @Nullable Redact check(@Nullable Redact asked) {
        if (asked == null) {
            return null;
        }
        if (asked.values().size() > VALUES) {
            throw Problem.field("redact.values", asked.values().size() + " values", "at most " + VALUES);
        }
        var values = new TreeMap<String, String>();
        int all = 0;
        for (var e : asked.values().entrySet()) {
            if (!NAME.matcher(e.getKey()).matches()) {
                throw Problem.field("redact.values", "'" + RequestRules.shown(e.getKey()) + "' is not a name", "1 to 128 of letters, digits and _ . -");
            }
            var value = e.getValue() == null ? "" : e.getValue().replaceAll("[\r\n]+$", "");
            int size = value.getBytes(StandardCharsets.UTF_8).length;
            if (size < Secret.LEAST || size > Secret.MOST) {
                throw Problem.field("redact.values." + e.getKey(), "has " + size + " bytes", Secret.LEAST + " to " + Secret.MOST + " bytes: what is shorter stands in too much else");
            }
            all += size;
            values.put(e.getKey(), value);
        }
        if (all > ALL) {
            throw Problem.field("redact.values", all + " bytes in all", "at most " + ALL);
        }
        return new Redact(values, asked.tokens());
    }
}
