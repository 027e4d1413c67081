// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.keys;

import dev.redoma.model.wire.User;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;

/// Rows of `person`.
final class UserRows {
    private UserRows() {}

    static List<User> all(Handle handle) {
        return Sql.list(handle, UserRows::row, "SELECT id, name, tenant, role, created_at, disabled_at FROM person ORDER BY created_at, id");
    }

    private static User row(ResultSet rs) throws SQLException {
        long disabled = rs.getLong("disabled_at");
        boolean here = rs.wasNull();
        return new User(rs.getString("id"), rs.getString("name"), rs.getString("tenant"), rs.getString("role"), KeyRows.instant(rs.getLong("created_at")),
                here ? null : KeyRows.instant(disabled));
    }

    static void insert(Handle handle, User user) {
        Sql.update(handle, "INSERT INTO person (id, name, tenant, role, created_at) VALUES (?, ?, ?, ?, ?)", user.id(), user.name(), user.tenant(), user.role(), KeyRows.micros(user.createdAt()));
    }

    static boolean named(Handle handle, String tenant, String name) {
        return Sql.first(handle, rs -> rs.getString(1), "SELECT id FROM person WHERE tenant = ? AND name = ? AND disabled_at IS NULL", tenant, name) != null;
    }

    /// False where there is nobody of that id, or nobody who is not disabled.
    static boolean role(Handle handle, String id, String role) {
        return Sql.update(handle, "UPDATE person SET role = ? WHERE id = ? AND disabled_at IS NULL", role, id) == 1;
    }

    static boolean disable(Handle handle, String id, Instant at) {
        return Sql.update(handle, "UPDATE person SET disabled_at = ? WHERE id = ? AND disabled_at IS NULL", KeyRows.micros(at), id) == 1;
    }
}
