// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.store.Sql;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/// Which layers of the pool are needed, by the rows that name them. Stateless; a call runs in its caller's transaction.
final class LayerUses {
    /// Each gives digests as `layer`. What keeps a layer alive has its line here, or the layer is taken for unused.
    private static final List<String> USERS = List.of(
            "SELECT json_extract(l.value, '$.layer') AS layer FROM template t, json_each(t.layers) l",
            "SELECT json_extract(l.value, '$.layer') AS layer FROM sandbox s, json_each(s.layers) l WHERE s.state <> 'ended' OR s.id IN (SELECT sandbox FROM review WHERE state = 'ending')",
            "SELECT json_extract(l.value, '$.layer') AS layer FROM snapshot s, json_each(s.layers) l",
            "SELECT json_extract(l.value, '$.layer') AS layer FROM build b, json_each(b.layers) l WHERE b.state IN ('queued', 'running')",
            "SELECT layer FROM build_cache");

    private LayerUses() {}

    static Set<String> needed(Handle tx) {
        var needed = new HashSet<String>();
        for (String user : USERS) {
            needed.addAll(Sql.list(tx, rs -> rs.getString(1), "SELECT layer FROM (" + user + ") WHERE layer IS NOT NULL"));
        }
        return needed;
    }

    static boolean needed(Handle tx, String layer) {
        return USERS.stream().anyMatch(user -> Sql.first(tx, rs -> true, "SELECT 1 FROM (" + user + ") WHERE layer = ? LIMIT 1", layer) != null);
    }
}
