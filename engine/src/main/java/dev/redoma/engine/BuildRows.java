// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.BuildId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Problem;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The tables `build` and `build_cache`. Stateless; a call runs in its caller's transaction.
final class BuildRows {
    private BuildRows() {}

    static void insert(Handle tx, BuildRow r) {
        Sql.update(tx, """
                INSERT INTO build (id, tenant, template, tag, source, state, steps, created_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                r.id().value(), r.tenant().value(), r.template(), r.tag(), r.source(), r.state(), r.steps(), r.createdBy(), Columns.micros(r.createdAt()));
    }

    static void running(Handle tx, BuildId id, Instant now) {
        Sql.update(tx, "UPDATE build SET state = 'running', started_at = ? WHERE id = ? AND state = 'queued'", Columns.micros(now), id.value());
    }

    static void steps(Handle tx, BuildId id, int steps) {
        Sql.update(tx, "UPDATE build SET steps = ? WHERE id = ?", steps, id.value());
    }

    static void step(Handle tx, BuildId id, int step) {
        Sql.update(tx, "UPDATE build SET step = ? WHERE id = ?", step, id.value());
    }

    /// What it stands on from now on.
    static void layers(Handle tx, BuildId id, List<LayerRef> layers, int cached) {
        Sql.update(tx, "UPDATE build SET layers = ?, cached = ? WHERE id = ?", Columns.json(layers), cached, id.value());
    }

    /// True if it had not ended before.
    static boolean end(Handle tx, BuildId id, String state, @Nullable String digest, @Nullable Problem error, Instant now) {
        return Sql.update(tx, """
                UPDATE build SET state = ?, digest = ?, error = ?, ended_at = ?, layers = '[]' WHERE id = ? AND state IN ('queued', 'running')""",
                state, digest, error == null ? null : Columns.json(error), Columns.micros(now), id.value()) > 0;
    }

    static Optional<BuildRow> find(Handle tx, String id) {
        return Optional.ofNullable(Sql.first(tx, BuildRows::map, "SELECT * FROM build WHERE id = ?", id));
    }

    static List<BuildRow> newest(Handle tx, int most) {
        return Sql.list(tx, BuildRows::map, "SELECT * FROM build ORDER BY created_at DESC, id LIMIT ?", most);
    }

    static List<BuildRow> unfinished(Handle tx) {
        return Sql.list(tx, BuildRows::map, "SELECT * FROM build WHERE state IN ('queued', 'running') ORDER BY created_at");
    }

    static List<String> endedBefore(Handle tx, Instant old) {
        return Sql.list(tx, rs -> rs.getString(1), "SELECT id FROM build WHERE state NOT IN ('queued', 'running') AND ended_at < ? LIMIT 500",
                Columns.micros(old));
    }

    static List<String> ids(Handle tx) {
        return Sql.list(tx, rs -> rs.getString(1), "SELECT id FROM build");
    }

    static void delete(Handle tx, String id) {
        Sql.update(tx, "DELETE FROM build WHERE id = ?", id);
    }

    // --- what steps made before

    static Optional<String> cached(Handle tx, String key) {
        return Optional.ofNullable(Sql.first(tx, rs -> rs.getString(1), "SELECT layer FROM build_cache WHERE key = ?", key));
    }

    static void used(Handle tx, String key, Instant now) {
        Sql.update(tx, "UPDATE build_cache SET used_at = ? WHERE key = ?", Columns.micros(now), key);
    }

    static void made(Handle tx, String key, String layer, Instant now) {
        Sql.update(tx, """
                INSERT INTO build_cache (key, layer, made_at, used_at) VALUES (?1, ?2, ?3, ?3)
                ON CONFLICT (key) DO UPDATE SET layer = excluded.layer, made_at = excluded.made_at, used_at = excluded.used_at""",
                key, layer, Columns.micros(now));
    }

    /// A build under way stands on exactly these.
    static boolean standsOn(Handle tx, List<LayerRef> layers) {
        return Sql.first(tx, rs -> rs.getInt(1), "SELECT 1 FROM build WHERE state = 'running' AND layers = ? LIMIT 1", Columns.json(layers)) != null;
    }

    /// With its last version a layer is no longer kept for later builds: who deletes wants the disk.
    static void forgetWithoutVersion(Handle tx, String layer) {
        Sql.update(tx, """
                DELETE FROM build_cache WHERE layer = ?1 AND NOT EXISTS
                    (SELECT 1 FROM template t, json_each(t.layers) l WHERE json_extract(l.value, '$.layer') = ?1)""", layer);
    }

    static void forgetLayer(Handle tx, String layer) {
        Sql.update(tx, "DELETE FROM build_cache WHERE layer = ?", layer);
    }

    static List<String> unusedSince(Handle tx, Instant old) {
        return Sql.list(tx, rs -> rs.getString(1), """
                SELECT layer FROM build_cache GROUP BY layer HAVING max(used_at) < ? LIMIT 500""", Columns.micros(old));
    }

    private static BuildRow map(ResultSet rs) throws SQLException {
        String error = rs.getString("error");
        return new BuildRow(new BuildId(rs.getString("id")), new TenantId(rs.getString("tenant")), rs.getString("template"), rs.getString("tag"),
                rs.getString("source"), rs.getString("state"), rs.getInt("step"), rs.getInt("steps"), rs.getInt("cached"),
                Columns.parse(rs.getString("layers"), RowMapping.LAYERS), rs.getString("digest"), error == null ? null : Columns.parse(error, Problem.class),
                rs.getString("created_by"), Columns.instant(rs.getLong("created_at")), RowMapping.instant(rs, "started_at"), RowMapping.instant(rs, "ended_at"));
    }
}
