// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Queries over records.
final class Rows {
    private Rows() {}

    /// Within one tenant in chain order, over all tenants by time.
    static List<Row> select(Handle tx, @Nullable String tenant, @Nullable String sandbox, @Nullable String category, long after, int limit) {
        String sql = "SELECT " + Row.COLUMNS + " FROM record WHERE seq > :after"
                + (tenant == null ? "" : " AND tenant = :tenant")
                + (sandbox == null ? "" : " AND sandbox = :sandbox")
                + (category == null ? "" : " AND category = :category")
                + (tenant == null ? " ORDER BY at, tenant, seq" : " ORDER BY seq") + " LIMIT :limit";
        var query = tx.createQuery(sql).bind("after", after).bind("limit", limit);
        bind(query, "tenant", tenant);
        bind(query, "sandbox", sandbox);
        bind(query, "category", category);
        return query.map((rs, c) -> Row.of(rs)).list();
    }

    private static void bind(org.jdbi.v3.core.statement.Query query, String name, @Nullable String value) {
        if (value != null) {
            query.bind(name, value);
        }
    }

    /// The next records of a chain up to and including `last`.
    static List<Row> page(Handle tx, String tenant, long after, long last, int limit) {
        return Sql.list(tx, Row::of, "SELECT " + Row.COLUMNS + " FROM record WHERE tenant = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
                tenant, after, last, limit);
    }
}
