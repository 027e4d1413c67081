// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;

/// What the calls of each version of an SDK did. `outcome` is `works`, `differs`, `not offered` or `fails`.
final class SdkTable {
    private final Map<String, Map<String, Row>> byVersion = new TreeMap<>();

    record Row(String call, String outcome, String note) {}

    /// The rows among a script's lines; what is no row is passed over.
    static List<Row> rows(String output) {
        var rows = new ArrayList<Row>();
        for (var line : output.split("\n")) {
            if (line.startsWith("{\"call\"")) {
                try {
                    var json = Api.JSON.readTree(line);
                    rows.add(new Row(json.get("call").asString(), json.get("outcome").asString(), json.get("note").asString()));
                } catch (JacksonException cut) {
                    throw new AssertionError("not a row: " + line, cut);
                }
            }
        }
        return rows;
    }

    /// What a page says, as `markdown` wrote it. A note is that of its row, whatever the version.
    static SdkTable parse(String markdown) {
        var table = new SdkTable();
        var versions = List.<String>of();
        for (var line : markdown.split("\n")) {
            var cells = line.startsWith("| ") ? List.of(line.substring(2).split("(?<!\\\\)\\| ?", -1)).stream().map(c -> c.strip().replace("\\|", "|")).toList() : List.<String>of();
            if (cells.size() > 2 && versions.isEmpty()) {
                versions = cells.subList(1, cells.size() - 2);
                versions.forEach(v -> table.byVersion.put(v, new LinkedHashMap<>()));
            } else if (cells.size() > 2) {
                for (int i = 0; i < versions.size(); i++) {
                    var outcome = cells.get(i + 1);
                    if (!outcome.equals("–")) {
                        table.byVersion.get(versions.get(i)).put(cells.getFirst(), new Row(cells.getFirst(), outcome, outcome.equals("works") ? "" : cells.get(versions.size() + 1)));
                    }
                }
            }
        }
        return table;
    }

    /// The versions of `other` in place of these; where it is `part` of them, its rows alone.
    void replaced(SdkTable other, boolean part) {
        other.byVersion.forEach((version, rows) -> {
            var now = part ? byVersion.computeIfAbsent(version, v -> new LinkedHashMap<>()) : new LinkedHashMap<String, Row>();
            now.putAll(rows);
            byVersion.put(version, now);
        });
    }

    /// Whether both say the same of every call and version, in whatever order.
    boolean says(SdkTable other) {
        return byVersion.equals(other.byVersion);
    }

    void add(String version, List<Row> rows) {
        var known = byVersion.computeIfAbsent(version, v -> new LinkedHashMap<>());
        rows.forEach(row -> known.put(row.call(), row));
    }

    /// A table of Markdown: a line for each call, a column for each version.
    String markdown() {
        var calls = new LinkedHashMap<String, Boolean>();
        byVersion.values().forEach(rows -> rows.keySet().forEach(call -> calls.put(call, true)));
        var text = new StringBuilder("| call | " + String.join(" | ", byVersion.keySet()) + " | |\n|---|" + "---|".repeat(byVersion.size()) + "---|\n");
        for (var call : calls.keySet()) {
            var note = "";
            text.append("| ").append(cell(call)).append(" |");
            for (var rows : byVersion.values()) {
                var row = rows.get(call);
                text.append(' ').append(row == null ? "–" : row.outcome()).append(" |");
                note = row == null || row.note().isEmpty() ? note : row.note();
            }
            text.append(note.isEmpty() ? " |\n" : " " + cell(note) + " |\n");
        }
        return text.toString();
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("\n", " ");
    }
}
