// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.store.Sql;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The last record of a chain as a transaction sees it.
record Tip(long seq, byte[] hash) {

    static Tip of(Handle tx, String tenant) {
        var last = Sql.first(tx, row -> new Tip(row.getLong(1), row.getBytes(2)),
                "SELECT seq, hash FROM record WHERE tenant = ? ORDER BY seq DESC LIMIT 1", tenant);
        return last != null ? last : new Tip(0, new byte[32]);
    }

    /// All tenants with a chain; one look-up each, where `DISTINCT` would walk every record.
    static List<String> tenants(Handle tx) {
        var tenants = new ArrayList<String>();
        for (var next = after(tx, ""); next != null; next = after(tx, next)) {
            tenants.add(next);
        }
        return tenants;
    }

    private static @Nullable String after(Handle tx, String tenant) {
        return Sql.first(tx, row -> row.getString(1), "SELECT tenant FROM record WHERE tenant > ? ORDER BY tenant LIMIT 1", tenant);
    }
}
