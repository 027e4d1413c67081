// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Patterns;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What humans are shown of a change set that somebody wants to apply. The digest stands for all of it; each entry that is flagged is named, others as far as there is room, and how many are not is told.
final class ApplyShown {
    /// Characters of the list of entries.
    private static final int ROOM = 32 << 10;

    private ApplyShown() {}

    static Map<String, Object> of(ChangeSet set, List<Change> wanted, ApplyChanges asked, Patterns patterns) {
        var hits = new Hits();
        var shown = new LinkedHashMap<String, Object>();
        shown.put("changes", set.digest());
        shown.put("root", seen(set.root(), patterns, hits));
        shown.put("target", asked.target() == null ? "not told" : seen(asked.target(), patterns, hits));
        shown.put("count", wanted.size());
        shown.put("counts", wanted.stream().collect(Collectors.groupingBy(Change::kind, TreeMap::new, Collectors.counting())));
        if (asked.only() != null && !asked.only().isEmpty()) {
            shown.put("only", asked.only().stream().map(p -> seen(p, patterns, hits)).toList());
        }
        shown.put("flagged", wanted.stream().filter(c -> !c.flags().isEmpty()).map(c -> line(c, patterns, hits) + " [" + String.join(", ", c.flags()) + "]").toList());
        var entries = new ArrayList<String>();
        int room = ROOM;
        for (var c : wanted) {
            var line = line(c, patterns, hits);
            room -= line.length() + 4;
            if (room < 0) {
                shown.put("entriesNotShown", wanted.size() - entries.size());
                break;
            }
            entries.add(line);
        }
        shown.put("entries", entries);
        if (!hits.counts().isEmpty()) {
            shown.put("masked", hits.counts().keySet().stream().map(mark -> Visible.of(mark.name())).distinct().sorted().toList());
        }
        return shown;
    }

    private static String line(Change c, Patterns patterns, Hits hits) {
        var from = c.from() == null ? "" : seen(c.from(), patterns, hits) + " => ";
        var mode = c.kind().equals("mode") ? " " + c.modeBefore() + " => " + c.modeAfter() : "";
        var target = c.type().equals("symlink") && c.target() != null ? " -> " + seen(c.target(), patterns, hits) : "";
        return c.kind() + " " + (c.type().equals("file") ? "" : c.type() + " ") + from + seen(c.path(), patterns, hits) + mode + target;
    }

    private static String seen(String text, Patterns patterns, Hits hits) {
        return Visible.of(patterns.mask(text, hits));
    }

    /// The digest is bound, and with it every entry and every byte that it stands for; what of it, and where to.
    static List<String> exact(ChangeSet set, ApplyChanges asked) {
        var only = asked.only() == null ? List.<String>of() : asked.only();
        var exact = new ArrayList<>(List.of(set.digest(), asked.target() == null ? "-" : "+" + asked.target(), String.valueOf(only.size())));
        exact.addAll(only);
        return exact;
    }
}
