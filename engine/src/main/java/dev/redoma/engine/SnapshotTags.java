// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SnapshotId;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.TenantId;
import dev.redoma.store.Sql;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The `snapshot_tag` table: what the tags of a tenant's snapshot names point at. Stateless; a call runs in its caller's transaction.
final class SnapshotTags {
    private SnapshotTags() {}

    static void move(Handle tx, TenantId tenant, String name, String tag, SnapshotId snapshot, Instant now) {
        Sql.update(tx, """
                INSERT INTO snapshot_tag (tenant, name, tag, snapshot, moved_at) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (tenant, name, tag) DO UPDATE SET snapshot = excluded.snapshot, moved_at = excluded.moved_at""",
                tenant.value(), name, tag, snapshot.value(), Columns.micros(now));
    }

    /// Of one that has become ready. One that was begun later and is ready before it keeps the tag: the newer disk is what it means.
    static void ready(Handle tx, SnapshotRow row, String tag) {
        String name = java.util.Objects.requireNonNull(row.name());
        boolean older = snapshot(tx, row.tenant(), name, tag).flatMap(id -> SnapshotRows.find(tx, id))
                .filter(there -> there.createdAt().isAfter(row.createdAt())).isPresent();
        if (!older) {
            move(tx, row.tenant(), name, tag, row.id(), row.createdAt());
        }
    }

    static Optional<String> snapshot(Handle tx, TenantId tenant, String name, String tag) {
        return Optional.ofNullable(Sql.first(tx, rs -> rs.getString(1),
                "SELECT snapshot FROM snapshot_tag WHERE tenant = ? AND name = ? AND tag = ?", tenant.value(), name, tag));
    }

    static List<String> of(Handle tx, SnapshotId snapshot) {
        return Sql.list(tx, rs -> rs.getString(1), "SELECT tag FROM snapshot_tag WHERE snapshot = ? ORDER BY tag", snapshot.value());
    }

    static boolean remove(Handle tx, TenantId tenant, String name, String tag) {
        return Sql.update(tx, "DELETE FROM snapshot_tag WHERE tenant = ? AND name = ? AND tag = ?", tenant.value(), name, tag) > 0;
    }

    /// After a snapshot went from lists: its tags go, and the bare name means the newest that is left.
    static void gone(Handle tx, SnapshotRow row, Instant now) {
        Sql.update(tx, "DELETE FROM snapshot_tag WHERE snapshot = ?", row.id().value());
        if (row.name() == null || snapshot(tx, row.tenant(), row.name(), TemplateReference.LATEST).isPresent()) {
            return;
        }
        String newest = Sql.first(tx, rs -> rs.getString(1), """
                SELECT id FROM snapshot WHERE tenant = ? AND name = ? AND hidden = 0 AND state = 'ready' AND id <> ?
                ORDER BY created_at DESC, id DESC LIMIT 1""", row.tenant().value(), row.name(), row.id().value());
        if (newest != null) {
            move(tx, row.tenant(), row.name(), TemplateReference.LATEST, new SnapshotId(newest), now);
        }
    }
}
