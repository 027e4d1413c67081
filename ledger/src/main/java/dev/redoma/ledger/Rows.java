// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.store.Sql;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/// Queries over records.
final class Rows {
    private static final Comparator<Row> BY_TIME = Comparator.comparingLong(Row::at).thenComparing(Row::tenant).thenComparingLong(Row::seq);

    private Rows() {}

    /// Within one tenant in chain order, over all tenants by time.
    static List<Row> select(Handle tx, @Nullable String tenant, @Nullable String sandbox, @Nullable String category, long after, int limit) {
        if (tenant != null) {
            return ofTenant(tx, tenant, sandbox, category, after, limit, "seq");
        }
        return Tip.tenants(tx).stream()
                .flatMap(each -> ofTenant(tx, each, sandbox, category, after, limit, "seq").stream())
                .sorted(BY_TIME)
                .limit(limit)
                .toList();
    }

    /// The last `limit`, oldest first.
    static List<Row> newest(Handle tx, @Nullable String tenant, @Nullable String sandbox, @Nullable String category, int limit) {
        var tenants = tenant == null ? Tip.tenants(tx) : List.of(tenant);
        return tenants.stream()
                .flatMap(each -> ofTenant(tx, each, sandbox, category, 0, limit, "seq DESC").stream())
                .sorted(BY_TIME.reversed())
                .limit(limit)
                .toList()
                .reversed();
    }

    /// With a sandbox by that one's index (the `+` keeps the planner from walking the tenant's whole chain).
    private static List<Row> ofTenant(Handle tx, String tenant, @Nullable String sandbox, @Nullable String category, long after, int limit,
            String order) {
        var query = tx.createQuery("SELECT " + Row.COLUMNS + " FROM record WHERE seq > :after"
                + (sandbox == null ? " AND tenant = :tenant" : " AND +tenant = :tenant AND sandbox = :sandbox")
                + (category == null ? "" : " AND category = :category") + " ORDER BY " + order + " LIMIT :limit");
        query.bind("after", after).bind("limit", limit).bind("tenant", tenant);
        bind(query, "sandbox", sandbox);
        bind(query, "category", category);
        return query.map((rs, c) -> Row.of(rs)).list();
    }

    /// By the sandbox's index.
    static long count(Handle tx, String tenant, String sandbox, String category, Set<String> actions, @Nullable String actor, String field, String value) {
        var query = tx.createQuery("SELECT count(*) FROM record WHERE +tenant = :tenant AND sandbox = :sandbox AND category = :category AND action IN (<actions>) AND json_extract(body, '$.fields.' || :field) = :value"
                + (actor == null ? "" : " AND json_extract(body, '$.actor') = :actor"));
        query.bindList("actions", List.copyOf(actions)).bind("tenant", tenant).bind("sandbox", sandbox).bind("category", category).bind("field", field).bind("value", value);
        bind(query, "actor", actor);
        return query.mapTo(Long.class).one();
    }

    private static void bind(Query query, String name, @Nullable String value) {
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
