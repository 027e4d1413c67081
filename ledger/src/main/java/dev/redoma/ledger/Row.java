// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.model.wire.AuditRecord;
import dev.redoma.store.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.crypto.SecretKey;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// A record as the table holds it. `body` is the canonical text that `hash` covers; the other columns repeat parts of it for queries.
record Row(
        String tenant, long seq, long at, @Nullable String sandbox, @Nullable String exec, String category, String action,
        String body, byte @Nullable [] sealed, byte[] prev, byte[] hash) {

    static final String COLUMNS = "tenant, seq, at, sandbox, exec, category, action, body, sealed, prev, hash";

    static Row of(ResultSet rs) throws SQLException {
        return new Row(rs.getString(1), rs.getLong(2), rs.getLong(3), rs.getString(4), rs.getString(5), rs.getString(6), rs.getString(7),
                rs.getString(8), rs.getBytes(9), rs.getBytes(10), rs.getBytes(11));
    }

    static Row of(Entry entry, long seq, long at, byte[] prev, byte @Nullable [] sealed) {
        var body = new LinkedHashMap<String, Object>();
        body.put("v", 1);
        body.put("tenant", entry.tenant());
        body.put("seq", seq);
        body.put("at", at);
        body.put("actor", entry.actor());
        optional(body, "sandbox", entry.sandbox());
        optional(body, "exec", entry.exec());
        body.put("category", entry.category());
        body.put("action", entry.action());
        body.put("fields", entry.open());
        if (!entry.fromGuest().isEmpty()) {
            body.put("fromGuest", entry.fromGuest());
        }
        optional(body, "sealed", sealed == null ? null : Digests.hex(Digests.sha256(sealed)));
        body.put("prev", Digests.hex(prev));
        String text = Canonical.text(body);
        return new Row(entry.tenant(), seq, at, entry.sandbox(), entry.exec(), entry.category(), entry.action(), text, sealed, prev,
                Digests.sha256(text));
    }

    private static void optional(Map<String, Object> body, String name, @Nullable String value) {
        if (value != null) {
            body.put(name, value);
        }
    }

    void insert(Handle tx) {
        Sql.update(tx, "INSERT INTO record (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                tenant, seq, at, sandbox, exec, category, action, body, sealed, prev, hash);
    }

    /// Whose key the sealed fields are under.
    String owner() {
        return BodyKeys.owner(tenant, sandbox);
    }

    /// What binds a sealed body to its place.
    static byte[] context(String tenant, String owner, long seq) {
        return (tenant + "\n" + owner + "\n" + seq).getBytes(StandardCharsets.UTF_8);
    }

    /// The sealed fields, or null where the key does not open them.
    @Nullable Map<String, Object> open(SecretKey key) {
        byte[] plain = Sealing.open(key, Objects.requireNonNull(sealed), context(tenant, owner(), seq));
        return plain == null ? null : Json.object(new String(plain, StandardCharsets.UTF_8));
    }

    /// As callers see it; `key` null: the sealed fields were erased.
    AuditRecord shown(@Nullable SecretKey key) {
        if (sealed == null) {
            return shown(Map.of());
        }
        var opened = key == null ? null : open(key);
        return shown(opened == null ? Map.of("sealed", key == null ? "erased" : "unreadable") : opened);
    }

    /// Without what is sealed.
    AuditRecord closed() {
        return shown(sealed == null ? Map.of() : Map.of("sealed", "kept"));
    }

    private AuditRecord shown(Map<String, Object> more) {
        var json = Objects.requireNonNullElse(Json.object(body), Map.<String, Object>of());
        var fields = new LinkedHashMap<String, Object>();
        if (json.get("fields") instanceof Map<?, ?> open) {
            open.forEach((name, value) -> fields.put((String) name, value));
        }
        if (sealed == null && json.get("sealed") != null) {
            fields.put("sealed", "pruned");
        }
        fields.putAll(more);
        if (json.get("fromGuest") instanceof List<?> names) {
            fields.put("fromGuest", names);
        }
        return new AuditRecord(seq, Instant.EPOCH.plus(at, ChronoUnit.MICROS), tenant, String.valueOf(json.get("actor")), sandbox, exec,
                category, action, fields, Digests.hex(prev), Digests.hex(hash));
    }
}
