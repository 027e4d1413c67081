// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.VolumeId;
import dev.redoma.model.wire.Volume.Holder;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The `volume` table, and who has which: that stands in the rows of sandboxes. Stateless; a call runs in its caller's transaction.
final class VolumeRows {
    private VolumeRows() {}

    static void insert(Handle tx, VolumeRow v) {
        Sql.update(tx, """
                INSERT INTO volume (id, tenant, name, kind, state, target, size_bytes, shared, uid, gid, labels, template, sandbox, created_at, created_by)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                v.id().value(), v.tenant().value(), v.name(), v.kind().wire(), v.state(), v.target(), v.sizeBytes(), v.shared() ? 1 : 0, v.uid(),
                v.gid(), Columns.json(v.labels()), v.template(), v.sandbox(), Columns.micros(v.createdAt()), v.createdBy());
    }

    static Optional<VolumeRow> find(Handle tx, VolumeId id) {
        return Optional.ofNullable(Sql.first(tx, VolumeRows::map, "SELECT * FROM volume WHERE id = ?", id.value()));
    }

    static Optional<VolumeRow> named(Handle tx, TenantId tenant, String name) {
        return Optional.ofNullable(
                Sql.first(tx, VolumeRows::map, "SELECT * FROM volume WHERE kind = 'volume' AND tenant = ? AND name = ?", tenant.value(), name));
    }

    static List<VolumeRow> all(Handle tx) {
        return Sql.list(tx, VolumeRows::map, "SELECT * FROM volume ORDER BY created_at, id");
    }

    static List<VolumeRow> copiesOf(Handle tx, SandboxId sandbox) {
        return Sql.list(tx, VolumeRows::map, "SELECT * FROM volume WHERE sandbox = ?", sandbox.value());
    }

    /// The one that sandboxes of a tenant and template get copies of now.
    static Optional<VolumeRow> cache(Handle tx, TenantId tenant, String template, String name) {
        return caches(tx, tenant, template, name).stream().findFirst();
    }

    /// Newest first.
    static List<VolumeRow> caches(Handle tx, TenantId tenant, String template, String name) {
        return Sql.list(tx, VolumeRows::map, """
                SELECT * FROM volume WHERE kind = 'cache' AND state = 'ready' AND target IS NULL AND tenant = ? AND template = ? AND name = ?
                ORDER BY created_at DESC, id""", tenant.value(), template, name);
    }

    /// Copies go with their sandbox.
    static void forget(Handle tx, SandboxId sandbox) {
        Sql.update(tx, "DELETE FROM volume WHERE sandbox = ?", sandbox.value());
    }

    static void begin(Handle tx, VolumeId id, String target) {
        Sql.update(tx, "UPDATE volume SET target = ? WHERE id = ?", target, id.value());
    }

    static void size(Handle tx, VolumeId id, long bytes) {
        Sql.update(tx, "UPDATE volume SET target = 'resize', size_bytes = ? WHERE id = ?", bytes, id.value());
    }

    static void settle(Handle tx, VolumeId id) {
        Sql.update(tx, "UPDATE volume SET state = 'ready', target = NULL WHERE id = ?", id.value());
    }

    static void delete(Handle tx, VolumeId id) {
        Sql.update(tx, "DELETE FROM volume WHERE id = ?", id.value());
    }

    /// How many a tenant has, and how large they may become together.
    static Kept kept(Handle tx, TenantId tenant) {
        return Sql.list(tx, rs -> new Kept(rs.getInt(1), rs.getLong(2)),
                "SELECT count(*), coalesce(sum(size_bytes), 0) FROM volume WHERE kind = 'volume' AND tenant = ?", tenant.value()).getFirst();
    }

    record Kept(int volumes, long bytes) {}

    /// Sandboxes that have not ended and have it, with the policy that they are under; live ones first.
    static List<Had> had(Handle tx, VolumeRow volume) {
        return Sql.list(tx, VolumeRows::had, """
                SELECT s.id, s.name, s.state, s.policy, json_extract(m.value, '$.path') AS path, json_extract(m.value, '$.readOnly') AS read_only,
                       s.state IN ('creating', 'running', 'paused') OR s.target IS 'start' AS live
                FROM sandbox s, json_each(s.mounts) m
                WHERE s.tenant = ? AND s.mounts <> '[]' AND s.state <> 'ended' AND json_extract(m.value, '$.volume') = ?
                ORDER BY live DESC, s.created_at""", volume.tenant().value(), volume.id().value());
    }

    /// A sandbox that has a volume, and the policy it is under.
    record Had(Holder holder, String policy) {}

    private static Had had(ResultSet rs) throws SQLException {
        return new Had(new Holder(rs.getString("id"), rs.getString("name"), rs.getString("state"), rs.getBoolean("live"), rs.getString("path"),
                rs.getBoolean("read_only")), rs.getString("policy"));
    }

    private static VolumeRow map(ResultSet rs) throws SQLException {
        @Nullable String target = rs.getString("target");
        return new VolumeRow(new VolumeId(rs.getString("id")), new TenantId(rs.getString("tenant")), rs.getString("name"),
                VolumeRow.Kind.of(rs.getString("kind")), rs.getString("state"), target, rs.getLong("size_bytes"), rs.getBoolean("shared"),
                rs.getLong("uid"), rs.getLong("gid"), Columns.parse(rs.getString("labels"), RowMapping.STRINGS), rs.getString("template"),
                rs.getString("sandbox"), Columns.instant(rs.getLong("created_at")), rs.getString("created_by"));
    }
}
