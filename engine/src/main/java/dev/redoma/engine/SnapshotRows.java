// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SnapshotId;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.TemplateRef;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The `snapshot` table. Stateless; a call runs in its caller's transaction.
final class SnapshotRows {
    private SnapshotRows() {}

    static void insert(Handle tx, SnapshotRow row) {
        tx.createUpdate("""
                INSERT INTO snapshot (id, tenant, name, sandbox, state, target, template_name, template_digest, layers, digest, labels, config,
                    hidden, uid_base, created_at, expires_at, keep_count, contents)
                VALUES (:id, :tenant, :name, :sandbox, :state, :target, :template_name, :template_digest, :layers, :digest, :labels, :config,
                    :hidden, :uid_base, :created_at, :expires_at, :keep_count, :contents)""")
                .bind("id", row.id().value()).bind("tenant", row.tenant().value()).bind("name", row.name()).bind("sandbox", row.sandbox())
                .bind("state", row.state()).bind("target", row.target()).bind("template_name", row.template().name())
                .bind("template_digest", row.template().digest()).bind("layers", Columns.json(row.layers())).bind("digest", row.digest())
                .bind("labels", Columns.json(row.labels())).bind("config", Columns.json(row.config())).bind("hidden", row.hidden())
                .bind("uid_base", row.uidBase()).bind("created_at", Columns.micros(row.createdAt()))
                .bind("expires_at", Columns.microsOrNull(row.expiresAt())).bind("keep_count", row.keepCount())
                .bind("contents", Columns.json(row.contents()))
                .execute();
    }

    static void ready(Handle tx, SnapshotId id, SnapshotRow.Contents contents) {
        Sql.update(tx, "UPDATE snapshot SET state = 'ready', target = NULL, contents = ? WHERE id = ?", Columns.json(contents), id.value());
    }

    /// No longer listed, named or usable; removed when nothing stands on it.
    static void hide(Handle tx, SnapshotId id) {
        tx.createUpdate("UPDATE snapshot SET hidden = 1, name = NULL WHERE id = :id").bind("id", id.value()).execute();
    }

    static void removing(Handle tx, SnapshotId id) {
        tx.createUpdate("UPDATE snapshot SET target = 'delete' WHERE id = :id").bind("id", id.value()).execute();
    }

    static void delete(Handle tx, SnapshotId id) {
        tx.createUpdate("DELETE FROM snapshot WHERE id = :id").bind("id", id.value()).execute();
    }

    static Optional<SnapshotRow> find(Handle tx, String id) {
        return Optional.ofNullable(Sql.first(tx, SnapshotRows::map, "SELECT * FROM snapshot WHERE id = ?", id));
    }

    /// By its id, or by a reference; only those that are listed.
    static Optional<SnapshotRow> shown(Handle tx, TenantId tenant, String wanted) {
        Optional<SnapshotRow> byId = SnapshotId.looksLike(wanted) ? find(tx, wanted).filter(s -> s.tenant().equals(tenant)) : Optional.empty();
        return byId.or(() -> SnapshotId.looksLike(wanted) ? Optional.empty() : meant(tx, tenant, TemplateReference.parse("snapshot", wanted)))
                .filter(s -> !s.hidden());
    }

    static Optional<SnapshotRow> meant(Handle tx, TenantId tenant, TemplateReference wanted) {
        if (wanted.digest() != null) {
            return ofDigest(tx, wanted.digest())
                    .filter(s -> !s.hidden() && s.tenant().equals(tenant) && (wanted.name() == null || wanted.name().equals(s.name())));
        }
        return wanted.name() == null ? Optional.empty()
                : SnapshotTags.snapshot(tx, tenant, wanted.name(), wanted.tagOrLatest()).flatMap(id -> find(tx, id)).filter(s -> !s.hidden());
    }

    static Optional<SnapshotRow> ofDigest(Handle tx, String digest) {
        return Optional.ofNullable(Sql.first(tx, SnapshotRows::map, "SELECT * FROM snapshot WHERE digest = ? LIMIT 1", digest));
    }

    /// One that is being made counts.
    static boolean isNamed(Handle tx, TenantId tenant, String name) {
        return Sql.first(tx, rs -> true, "SELECT 1 FROM snapshot WHERE tenant = ? AND name = ? AND hidden = 0 LIMIT 1", tenant.value(), name) != null;
    }

    static List<SnapshotRow> all(Handle tx) {
        return Sql.list(tx, SnapshotRows::map, "SELECT * FROM snapshot ORDER BY created_at, id");
    }

    static int count(Handle tx, TenantId tenant) {
        return tx.createQuery("SELECT count(*) FROM snapshot WHERE tenant = :tenant AND hidden = 0").bind("tenant", tenant.value())
                .mapTo(Integer.class).one();
    }

    /// True while a sandbox that has not ended, or another snapshot, has this saved upper among its layers.
    static boolean needed(Handle tx, SnapshotId id) {
        return tx.createQuery("""
                SELECT EXISTS (SELECT 1 FROM sandbox s, json_each(s.layers) l
                               WHERE (s.state <> 'ended' OR s.id IN (SELECT sandbox FROM review WHERE state = 'ending')) AND json_extract(l.value, '$.snapshot') = :id)
                    OR EXISTS (SELECT 1 FROM snapshot s, json_each(s.layers) l
                               WHERE s.id <> :id AND json_extract(l.value, '$.snapshot') = :id)
                    OR EXISTS (SELECT 1 FROM template t, json_each(t.layers) l WHERE json_extract(l.value, '$.snapshot') = :id)
                    OR EXISTS (SELECT 1 FROM build b, json_each(b.layers) l
                               WHERE b.state IN ('queued', 'running') AND json_extract(l.value, '$.snapshot') = :id)""")
                .bind("id", id.value()).mapTo(Boolean.class).one();
    }

    private static SnapshotRow map(ResultSet rs) throws SQLException {
        int keep = rs.getInt("keep_count");
        return new SnapshotRow(
                new SnapshotId(rs.getString("id")), new TenantId(rs.getString("tenant")), rs.getString("name"), rs.getString("sandbox"),
                rs.getString("state"), rs.getString("target"), new TemplateRef(rs.getString("template_name"), rs.getString("template_digest")),
                Columns.parse(rs.getString("layers"), RowMapping.LAYERS), rs.getString("digest"),
                Columns.parse(rs.getString("labels"), RowMapping.STRINGS), Columns.parse(rs.getString("config"), TemplateConfig.class),
                rs.getBoolean("hidden"), rs.getLong("uid_base"), Columns.instant(rs.getLong("created_at")), RowMapping.instant(rs, "expires_at"),
                keep == 0 ? null : (Integer) keep, Columns.parse(rs.getString("contents"), SnapshotRow.Contents.class));
    }
}
