// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.TemplateReference;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The `template` table. Stateless; a call runs in its caller's transaction.
final class TemplateRows {
    private TemplateRows() {}

    /// Adds a version (or finds the same one there) and lets the bare name point at it, and `tag` if there is one.
    static void put(Handle tx, TemplateRow row, @Nullable String tag) {
        tx.createUpdate("""
                INSERT INTO template (digest, name, source, state, layers, config, size_bytes, message, created_at)
                VALUES (:digest, :name, :source, :state, :layers, :config, :size, :message, :at)
                ON CONFLICT (name, digest) DO NOTHING""")
                .bind("digest", row.digest()).bind("name", row.name()).bind("source", row.source()).bind("state", row.state())
                .bind("layers", Columns.json(row.layers())).bind("config", Columns.json(row.config())).bind("size", row.sizeBytes())
                .bind("message", row.message()).bind("at", Columns.micros(row.createdAt()))
                .execute();
        TemplateTags.move(tx, row.name(), TemplateReference.LATEST, row.digest(), row.createdAt());
        if (tag != null) {
            for (String one : tag.split(",")) {
                TemplateTags.move(tx, row.name(), one, row.digest(), row.createdAt());
            }
        }
    }

    /// The version that a reference means now.
    static Optional<TemplateRow> find(Handle tx, TemplateReference wanted) {
        if (wanted.name() == null) {
            return ofDigest(tx, String.valueOf(wanted.digest()));
        }
        String digest = wanted.digest() != null ? wanted.digest() : TemplateTags.digest(tx, wanted.name(), wanted.tagOrLatest()).orElse("");
        return Optional.ofNullable(Sql.first(tx, TemplateRows::map, "SELECT * FROM template WHERE name = ? AND digest = ?", wanted.name(), digest));
    }

    /// Under whatever name; all of them have the same layers and configuration.
    static Optional<TemplateRow> ofDigest(Handle tx, String digest) {
        return Optional.ofNullable(Sql.first(tx, TemplateRows::map,
                "SELECT * FROM template WHERE digest = ? ORDER BY created_at DESC, name LIMIT 1", digest));
    }

    static boolean named(Handle tx, String name) {
        return !versions(tx, name).isEmpty();
    }

    static List<TemplateRow> all(Handle tx) {
        return Sql.list(tx, TemplateRows::map, "SELECT * FROM template ORDER BY name, created_at DESC, digest");
    }

    static List<TemplateRow> versions(Handle tx, String name) {
        return Sql.list(tx, TemplateRows::map, "SELECT * FROM template WHERE name = ? ORDER BY created_at DESC, digest", name);
    }

    static List<TemplateRow> allOfDigest(Handle tx, String digest) {
        return Sql.list(tx, TemplateRows::map, "SELECT * FROM template WHERE digest = ? ORDER BY name", digest);
    }

    static void delete(Handle tx, String name, String digest) {
        Sql.update(tx, "DELETE FROM template WHERE name = ? AND digest = ?", name, digest);
    }

    private static TemplateRow map(ResultSet rs) throws SQLException {
        return new TemplateRow(rs.getString("name"), rs.getString("digest"), rs.getString("source"), rs.getString("state"),
                Columns.parse(rs.getString("layers"), RowMapping.LAYERS), Columns.parse(rs.getString("config"), TemplateConfig.class),
                rs.getLong("size_bytes"), rs.getString("message"), Columns.instant(rs.getLong("created_at")));
    }
}
