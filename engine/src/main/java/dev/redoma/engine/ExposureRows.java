// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ExposureId;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.policy.Audience;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.Handle;

/// The `exposure` table. Stateless; a call runs in its caller's transaction.
final class ExposureRows {
    private ExposureRows() {}

    static void insert(Handle tx, ExposureRow e) {
        Sql.update(tx, "INSERT INTO exposure (id, sandbox, tenant, port, audience, created_at, created_by, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                e.id().value(), e.sandbox().value(), e.tenant().value(), e.port(), e.audience().wire(), Columns.micros(e.createdAt()), e.createdBy(), Columns.micros(e.expiresAt()));
    }

    /// The oldest first.
    static List<ExposureRow> all(Handle tx) {
        return Sql.list(tx, ExposureRows::map, "SELECT * FROM exposure ORDER BY created_at, id");
    }

    static void delete(Handle tx, ExposureId id) {
        Sql.update(tx, "DELETE FROM exposure WHERE id = ?", id.value());
    }

    /// They end with their sandbox.
    static void forget(Handle tx, SandboxId sandbox) {
        Sql.update(tx, "DELETE FROM exposure WHERE sandbox = ?", sandbox.value());
    }

    private static ExposureRow map(ResultSet rs) throws SQLException {
        return new ExposureRow(new ExposureId(rs.getString("id")), new SandboxId(rs.getString("sandbox")), new TenantId(rs.getString("tenant")), rs.getInt("port"),
                Audience.of(rs.getString("audience")).orElseThrow(), Columns.instant(rs.getLong("created_at")), rs.getString("created_by"), Columns.instant(rs.getLong("expires_at")));
    }
}
