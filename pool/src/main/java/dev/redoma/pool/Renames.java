// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.model.wire.Change;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Finds files that are gone in one place and there in another with the same content: renamed. Of several, one of the same name is taken first. Empty files and links are not matched: too many are the same.
final class Renames {
    private Renames() {}

    static List<Change> in(List<Change> changes) {
        Map<String, Deque<Change>> gone = new HashMap<>();
        changes.stream().filter(c -> c.kind().equals("deleted") && matches(c, c.sizeBefore())).forEach(c -> gone.computeIfAbsent(String.valueOf(c.digestBefore()), d -> new ArrayDeque<>()).add(c));
        if (gone.isEmpty()) {
            return changes;
        }
        Map<Change, Change> sources = new HashMap<>();
        Set<Change> taken = new HashSet<>();
        for (boolean sameName : new boolean[] {true, false}) {
            for (var c : changes) {
                if (c.kind().equals("added") && matches(c, c.sizeAfter()) && !sources.containsKey(c)) {
                    gone.getOrDefault(String.valueOf(c.digestAfter()), new ArrayDeque<>()).stream().filter(g -> !taken.contains(g) && (!sameName || name(g).equals(name(c)))).findFirst().ifPresent(g -> {
                        taken.add(g);
                        sources.put(c, g);
                    });
                }
            }
        }
        var out = new ArrayList<Change>();
        for (var c : changes) {
            var source = sources.get(c);
            if (source != null) {
                out.add(new Change(c.path(), "renamed", c.type(), null, source.path(), source.sizeBefore(), c.sizeAfter(), source.modeBefore(), c.modeAfter(), source.digestBefore(), c.digestAfter(), null, c.flags()));
            } else if (!taken.contains(c)) {
                out.add(c);
            }
        }
        return out;
    }

    private static boolean matches(Change c, @org.jspecify.annotations.Nullable Long size) {
        return c.type().equals("file") && size != null && size > 0 && (c.digestBefore() != null || c.digestAfter() != null);
    }

    private static String name(Change c) {
        return c.path().substring(c.path().lastIndexOf('/') + 1);
    }
}
