// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.keys;

import dev.redoma.model.Scope;
import dev.redoma.model.wire.Key;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Rows of `api_key`.
final class KeyRows {
    private KeyRows() {}

    /// A key with the hash of its value.
    record Row(Key key, byte[] hash) {}

    static List<Row> all(Handle handle) {
        return Sql.list(handle, KeyRows::row, "SELECT id, name, tenant, scopes, hash, created_at, revoked_at, person, issued_by, rotated_at FROM api_key ORDER BY created_at, id");
    }

    private static Row row(ResultSet rs) throws SQLException {
        return new Row(
                new Key(rs.getString("id"), rs.getString("name"), rs.getString("tenant"), List.of(rs.getString("scopes").split(",")), instant(rs.getLong("created_at")),
                        perhaps(rs, "revoked_at"), rs.getString("person"), rs.getString("issued_by"), perhaps(rs, "rotated_at")),
                rs.getBytes("hash"));
    }

    private static @Nullable Instant perhaps(ResultSet rs, String column) throws SQLException {
        long micros = rs.getLong(column);
        return rs.wasNull() ? null : instant(micros);
    }

    static void insert(Handle handle, Row row) {
        var key = row.key();
        Sql.update(handle, "INSERT INTO api_key (id, name, tenant, scopes, hash, created_at, person, issued_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                key.id(), key.name(), key.tenant(), String.join(",", key.scopes()), row.hash(), micros(key.createdAt()), key.user(), key.issuedBy());
    }

    /// False where there was no such key, or none alive.
    static boolean revoke(Handle handle, String id, Instant at) {
        return Sql.update(handle, "UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", micros(at), id) == 1;
    }

    /// Another value for the same key; false where it is not alive.
    static boolean rotate(Handle handle, String id, byte[] hash, @Nullable String issuer, Instant at) {
        return Sql.update(handle, "UPDATE api_key SET hash = ?, issued_by = ?, rotated_at = ? WHERE id = ? AND revoked_at IS NULL", hash, issuer, micros(at), id) == 1;
    }

    static Set<Scope> scopes(Key key) {
        var scopes = new TreeSet<Scope>();
        key.scopes().forEach(s -> scopes.add(Scope.valueOf(s.toUpperCase(Locale.ROOT))));
        return scopes;
    }

    static @Nullable Scope scope(String word) {
        return Arrays.stream(Scope.values()).filter(s -> s.name().toLowerCase(Locale.ROOT).equals(word)).findFirst().orElse(null);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static long micros(Instant at) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at);
    }
}
