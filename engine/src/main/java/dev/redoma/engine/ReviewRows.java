// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;

/// The `review` table. Stateless; a call runs in its caller's transaction.
final class ReviewRows {
    private ReviewRows() {}

    static Optional<ReviewRow> find(Handle tx, SandboxId sandbox) {
        return Optional.ofNullable(Sql.first(tx, ReviewRows::map, "SELECT * FROM review WHERE sandbox = ?", sandbox.value()));
    }

    static void started(Handle tx, SandboxRow row, String root) {
        exists(tx, row);
        Sql.update(tx, "UPDATE review SET root = ? WHERE sandbox = ?", root, row.id().value());
    }

    /// Artifacts that are to be collected at the end.
    static void declared(Handle tx, SandboxRow row, List<String> patterns) {
        exists(tx, row);
        Sql.update(tx, "UPDATE review SET patterns = ? WHERE sandbox = ?", Columns.json(patterns), row.id().value());
    }

    /// Made if it is not there.
    static void exists(Handle tx, SandboxRow row) {
        Sql.update(tx, "INSERT OR IGNORE INTO review (sandbox, tenant, state) VALUES (?, ?, 'live')", row.id().value(), row.tenant().value());
    }

    /// Its files are the template's again.
    static void reset(Handle tx, SandboxId sandbox) {
        Sql.update(tx, "UPDATE review SET root = NULL WHERE sandbox = ?", sandbox.value());
    }

    /// Ended without a disk: what was collected before stays for its time.
    static void lost(Handle tx, SandboxId sandbox, Instant at, Instant until) {
        Sql.update(tx, "UPDATE review SET state = 'kept', ended_at = ?, expires_at = ? WHERE sandbox = ?", Columns.micros(at), Columns.micros(until), sandbox.value());
    }

    /// Its disk is kept; what is in it is still to be read.
    static void ending(Handle tx, SandboxRow row, @Nullable String authority, Instant at, Instant until) {
        Sql.update(tx, """
                INSERT INTO review (sandbox, tenant, state, authority, disk, ended_at, expires_at) VALUES (?, ?, 'ending', ?, 1, ?, ?)
                ON CONFLICT (sandbox) DO UPDATE SET state = 'ending', authority = excluded.authority, disk = 1, ended_at = excluded.ended_at, expires_at = excluded.expires_at""",
                row.id().value(), row.tenant().value(), authority, Columns.micros(at), Columns.micros(until));
    }

    static void kept(Handle tx, SandboxId sandbox, long bytes, boolean disk) {
        Sql.update(tx, "UPDATE review SET state = 'kept', bytes = ?, disk = ? WHERE sandbox = ?", bytes, disk ? 1 : 0, sandbox.value());
    }

    static void forget(Handle tx, SandboxId sandbox) {
        ArtifactRows.forget(tx, sandbox);
        Sql.update(tx, "DELETE FROM review WHERE sandbox = ?", sandbox.value());
    }

    static List<ReviewRow> ending(Handle tx) {
        return Sql.list(tx, ReviewRows::map, "SELECT * FROM review WHERE state = 'ending' ORDER BY ended_at");
    }

    static List<ReviewRow> expired(Handle tx, Instant now) {
        return Sql.list(tx, ReviewRows::map, "SELECT * FROM review WHERE state = 'kept' AND expires_at < ? ORDER BY expires_at LIMIT 500", Columns.micros(now));
    }

    /// Kept disks, the oldest first.
    static List<ReviewRow> disks(Handle tx) {
        return Sql.list(tx, ReviewRows::map, "SELECT * FROM review WHERE state = 'kept' AND disk = 1 ORDER BY ended_at");
    }

    private static ReviewRow map(ResultSet rs) throws SQLException {
        return new ReviewRow(new SandboxId(rs.getString("sandbox")), new TenantId(rs.getString("tenant")), rs.getString("root"), rs.getString("state"), rs.getString("authority"), rs.getLong("bytes"),
                rs.getInt("disk") == 1, instant(rs, "ended_at"), instant(rs, "expires_at"),
                Columns.parse(rs.getString("patterns"), new TypeReference<List<String>>() {}));
    }

    private static @Nullable Instant instant(ResultSet rs, String column) throws SQLException {
        long micros = rs.getLong(column);
        return rs.wasNull() ? null : Columns.instant(micros);
    }
}
