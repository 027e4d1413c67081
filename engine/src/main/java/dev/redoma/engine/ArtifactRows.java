// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.Artifact;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The `artifact` table. Stateless; a call runs in its caller's transaction.
final class ArtifactRows {
    private ArtifactRows() {}

    static List<Artifact> of(Handle tx, SandboxId sandbox) {
        return Sql.list(tx, ArtifactRows::map, "SELECT * FROM artifact WHERE sandbox = ? ORDER BY path", sandbox.value());
    }

    /// By id or path.
    static Optional<Artifact> find(Handle tx, SandboxId sandbox, String which) {
        return Optional.ofNullable(Sql.first(tx, ArtifactRows::map, "SELECT * FROM artifact WHERE sandbox = ? AND (id = ? OR path = ?)", sandbox.value(), which, which));
    }

    /// In the place of an earlier one of that path.
    static void put(Handle tx, SandboxId sandbox, Artifact a) {
        Sql.update(tx, "INSERT OR REPLACE INTO artifact (id, sandbox, path, size, mode, digest, modified_at, collected_at, why) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                a.id(), sandbox.value(), a.path(), a.size(), a.mode(), a.digest(), Columns.micros(a.modifiedAt()), Columns.micros(a.collectedAt()), a.why());
    }

    static void forget(Handle tx, SandboxId sandbox) {
        Sql.update(tx, "DELETE FROM artifact WHERE sandbox = ?", sandbox.value());
    }

    private static Artifact map(ResultSet rs) throws SQLException {
        return new Artifact(rs.getString("id"), rs.getString("path"), rs.getLong("size"), rs.getString("mode"), rs.getString("digest"), Columns.instant(rs.getLong("modified_at")),
                Columns.instant(rs.getLong("collected_at")), rs.getString("why"));
    }
}
