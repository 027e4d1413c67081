// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.AttachGrant;
import dev.redoma.model.wire.Attachment;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The tables `attach_grant` and `attachment`. Stateless; a call runs in its caller's transaction.
final class AttachRows {
    private AttachRows() {}

    static void insert(Handle tx, String tenant, AttachGrant g) {
        Sql.update(tx, "INSERT INTO attach_grant (id, sandbox, tenant, person, key, exec, mode, created_at, created_by, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                g.id(), g.sandbox(), tenant, g.person(), g.key(), g.exec(), g.mode(), Columns.micros(g.createdAt()), g.createdBy(), Columns.micros(g.expiresAt()));
    }

    /// Those whose time is not over, the oldest first.
    static List<AttachGrant> grants(Handle tx, String sandbox, Instant now) {
        return Sql.list(tx, AttachRows::grant, "SELECT * FROM attach_grant WHERE sandbox = ? AND expires_at > ? ORDER BY created_at, id", sandbox, Columns.micros(now));
    }

    static Optional<AttachGrant> find(Handle tx, String sandbox, String id) {
        return Optional.ofNullable(Sql.first(tx, AttachRows::grant, "SELECT * FROM attach_grant WHERE sandbox = ? AND id = ?", sandbox, id));
    }

    /// The one that lasts longest of those by which this key, or its person, may join that command so.
    static Optional<AttachGrant> fitting(Handle tx, String sandbox, String exec, String mode, String key, @Nullable String person, Instant now) {
        return Optional.ofNullable(Sql.first(tx, AttachRows::grant, """
                SELECT * FROM attach_grant WHERE sandbox = ?1 AND (exec IS NULL OR exec = ?2) AND (mode = 'write' OR ?3 = 'read') AND (key = ?4 OR person = ?5) AND expires_at > ?6
                ORDER BY expires_at DESC, id LIMIT 1""", sandbox, exec, mode, key, person, Columns.micros(now)));
    }

    static void delete(Handle tx, String id) {
        Sql.update(tx, "DELETE FROM attach_grant WHERE id = ?", id);
    }

    static void forgetOver(Handle tx, String sandbox, Instant now) {
        Sql.update(tx, "DELETE FROM attach_grant WHERE sandbox = ? AND expires_at <= ?", sandbox, Columns.micros(now));
    }

    /// They end with their sandbox.
    static void forget(Handle tx, String sandbox) {
        Sql.update(tx, "DELETE FROM attach_grant WHERE sandbox = ?", sandbox);
    }

    static void joined(Handle tx, String tenant, Attachment a) {
        Sql.update(tx, "INSERT INTO attachment (id, sandbox, tenant, exec, mode, key, person, by_grant, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                a.id(), a.sandbox(), tenant, a.exec(), a.mode(), a.key(), a.person(), a.grant(), Columns.micros(a.since()));
    }

    /// False where that is told already.
    static boolean left(Handle tx, String id) {
        return Sql.update(tx, "DELETE FROM attachment WHERE id = ?", id) == 1;
    }

    /// An attachment with its tenant.
    record Of(String tenant, Attachment attachment) {}

    static List<Of> all(Handle tx) {
        return Sql.list(tx, rs -> new Of(rs.getString("tenant"), new Attachment(rs.getString("id"), rs.getString("sandbox"), rs.getString("exec"), rs.getString("mode"), rs.getString("key"), rs.getString("person"),
                rs.getString("by_grant"), Columns.instant(rs.getLong("since")))), "SELECT * FROM attachment ORDER BY since, id");
    }

    private static AttachGrant grant(ResultSet rs) throws SQLException {
        return new AttachGrant(rs.getString("id"), rs.getString("sandbox"), rs.getString("person"), rs.getString("key"), rs.getString("exec"), rs.getString("mode"), Columns.instant(rs.getLong("created_at")),
                rs.getString("created_by"), Columns.instant(rs.getLong("expires_at")));
    }
}
