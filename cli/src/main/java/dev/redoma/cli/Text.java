// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.Amounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Aligned plain text for people. What a sandbox chose (names, paths) is shown without control characters.
final class Text {
    private Text() {}

    /// Columns as wide as their widest cell; the last one is left ragged.
    static String table(List<String> head, List<List<String>> rows) {
        var all = new ArrayList<List<String>>();
        all.add(head);
        all.addAll(rows);
        var widths = new int[head.size()];
        all.forEach(row -> Arrays.setAll(widths, i -> Math.max(widths[i], row.get(i).length())));
        var out = new StringBuilder();
        for (var row : all) {
            var line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
            }
            out.append(line.toString().stripTrailing()).append('\n');
        }
        return out.toString();
    }

    static String size(long bytes) {
        return Amounts.size(bytes);
    }

    static String size(@Nullable Long bytes) {
        return bytes == null ? "-" : size(bytes.longValue());
    }

    static String ago(Instant at) {
        return Durations.text(Math.max(0, Duration.between(at, Instant.now()).toMillis())) + " ago";
    }

    static String until(@Nullable Instant at) {
        return at == null ? "-" : "in " + Durations.text(Math.max(0, Duration.between(Instant.now(), at).toMillis()));
    }

    static String or(@Nullable Object value) {
        return value == null ? "-" : safe(value.toString());
    }

    /// Control and direction-changing characters become `?`: a name must not be able to paint our terminal.
    static String safe(String foreign) {
        var out = new StringBuilder(foreign.length());
        foreign.codePoints().forEach(c -> out.appendCodePoint(
                Character.isISOControl(c) || Character.getType(c) == Character.FORMAT || Character.getType(c) == Character.SURROGATE || c == 0x2028 || c == 0x2029 ? '?' : c));
        return out.toString();
    }

    /// Lines of a file, which end at line feeds alone: what a terminal would take for an end, or not show, is written out (`^M` and the like), tabs stay.
    static String lines(String foreign, String indent) {
        var lines = new ArrayList<String>();
        for (String line : (foreign.endsWith("\n") ? foreign.substring(0, foreign.length() - 1) : foreign).split("\n", -1)) {
            var out = new StringBuilder(indent);
            line.codePoints().forEach(c -> {
                if (c < ' ' && c != '\t') {
                    out.append('^').append((char) (c + '@'));
                } else {
                    out.append(c == '\t' ? "\t" : safe(Character.toString(c)));
                }
            });
            lines.add(out.toString());
        }
        return String.join("\n", lines);
    }
}
