// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Template;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The `template` table. Stateless; a call runs in its caller's transaction.
final class TemplateRows {
    private TemplateRows() {}

    record Row(Template template, List<LayerRef> layers, TemplateConfig config) {}

    /// Adds a version (or takes the same one again) and lets the name point at it.
    static void put(Handle tx, Row row) {
        Template t = row.template();
        tx.createUpdate("UPDATE template SET current = 0 WHERE name = :name").bind("name", t.name()).execute();
        tx.createUpdate("""
                INSERT INTO template (digest, name, source, state, layers, config, size_bytes, message, created_at, current)
                VALUES (:digest, :name, :source, :state, :layers, :config, :size, :message, :at, 1)
                ON CONFLICT (name, digest) DO UPDATE SET current = 1, state = excluded.state, config = excluded.config, message = excluded.message""")
                .bind("digest", t.digest()).bind("name", t.name()).bind("source", t.source()).bind("state", t.state())
                .bind("layers", Columns.json(row.layers())).bind("config", Columns.json(row.config())).bind("size", t.sizeBytes())
                .bind("message", t.message()).bind("at", Columns.micros(t.createdAt()))
                .execute();
    }

    /// The newest version of a name, else any of a digest.
    static Optional<Row> find(Handle tx, String nameOrDigest) {
        return Optional.ofNullable(Sql.first(tx, TemplateRows::map, """
                SELECT * FROM template WHERE (name = ?1 AND current = 1) OR digest = ?1
                ORDER BY name = ?1 DESC, created_at DESC LIMIT 1""", nameOrDigest));
    }

    static List<Row> all(Handle tx) {
        return tx.createQuery("SELECT * FROM template ORDER BY name, created_at DESC").map((rs, ctx) -> map(rs)).list();
    }

    static List<Row> versions(Handle tx, String nameOrDigest) {
        return tx.createQuery("SELECT * FROM template WHERE name = :t OR digest = :t").bind("t", nameOrDigest).map((rs, ctx) -> map(rs)).list();
    }

    static void delete(Handle tx, String name, String digest) {
        tx.createUpdate("DELETE FROM template WHERE name = :name AND digest = :digest").bind("name", name).bind("digest", digest).execute();
        tx.createUpdate("""
                UPDATE template SET current = 1 WHERE name = :name AND NOT EXISTS (SELECT 1 FROM template WHERE name = :name AND current = 1)
                AND created_at = (SELECT max(created_at) FROM template WHERE name = :name)""")
                .bind("name", name).execute();
    }

    /// Sandboxes not ended and snapshots that stand on this layer.
    static int users(Handle tx, String layer) {
        return tx.createQuery("""
                SELECT (SELECT count(*) FROM sandbox s WHERE s.state <> 'ended'
                        AND EXISTS (SELECT 1 FROM json_each(s.layers) l WHERE json_extract(l.value, '$.layer') = :layer))
                     + (SELECT count(*) FROM snapshot s
                        WHERE EXISTS (SELECT 1 FROM json_each(s.layers) l WHERE json_extract(l.value, '$.layer') = :layer))""")
                .bind("layer", layer).mapTo(Integer.class).one();
    }

    /// Versions that have this layer.
    static int versionsWith(Handle tx, String layer) {
        return Sql.list(tx, rs -> rs.getInt(1), """
                SELECT count(*) FROM template t
                WHERE EXISTS (SELECT 1 FROM json_each(t.layers) l WHERE json_extract(l.value, '$.layer') = ?)""", layer).getFirst();
    }

    private static Row map(ResultSet rs) throws SQLException {
        var template = new Template(rs.getString("name"), rs.getString("digest"), rs.getString("source"), rs.getString("state"), at(rs),
                rs.getLong("size_bytes"), rs.getString("message"));
        return new Row(template, Columns.parse(rs.getString("layers"), RowMapping.LAYERS), Columns.parse(rs.getString("config"), TemplateConfig.class));
    }

    private static Instant at(ResultSet rs) throws SQLException {
        return Columns.instant(rs.getLong("created_at"));
    }
}
