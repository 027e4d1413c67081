// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.ApprovalRow.State;
import dev.redoma.model.ApprovalId;
import dev.redoma.model.wire.Approval;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;

/// The tables `approval` and `approval_decision`. Stateless; a call runs in its caller's transaction.
final class ApprovalRows {
    private static final TypeReference<Map<String, Object>> SHOWN = new TypeReference<>() {};
    private static final TypeReference<List<String>> RULES = new TypeReference<>() {};

    private ApprovalRows() {}

    static void insert(Handle tx, ApprovalRow r, byte[] bound) {
        Sql.update(tx, """
                INSERT INTO approval (id, tenant, sandbox, kind, state, bound, shown, rules, needed, within_us, requested_by, requester, created_at, deadline)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                r.id().value(), r.tenant(), r.sandbox(), r.kind(), r.state().wire(), bound, Columns.json(r.shown()), Columns.json(r.rules()), r.needed(), r.within().toNanos() / 1000, r.requestedBy(),
                r.requester(), Columns.micros(r.createdAt()), Columns.micros(r.deadline()));
    }

    static Optional<ApprovalRow> find(Handle tx, String id) {
        return Optional.ofNullable(Sql.first(tx, ApprovalRows::map, "SELECT * FROM approval WHERE id = ?", id));
    }

    /// The newest of exactly this request that is not over.
    static Optional<ApprovalRow> same(Handle tx, String requestedBy, byte[] bound) {
        return Optional.ofNullable(Sql.first(tx, ApprovalRows::map,
                "SELECT * FROM approval WHERE requested_by = ? AND bound = ? AND state IN ('pending', 'approved', 'denied') ORDER BY created_at DESC, id LIMIT 1", requestedBy, bound));
    }

    static List<ApprovalRow> open(Handle tx) {
        return Sql.list(tx, ApprovalRows::map, "SELECT * FROM approval WHERE state IN ('pending', 'approved') ORDER BY created_at, id");
    }

    static List<ApprovalRow> openOf(Handle tx, String sandbox) {
        return Sql.list(tx, ApprovalRows::map, "SELECT * FROM approval WHERE state IN ('pending', 'approved') AND sandbox = ? ORDER BY created_at, id", sandbox);
    }

    static long pending(Handle tx, String tenant, @Nullable String requestedBy) {
        var count = requestedBy == null ? Sql.first(tx, rs -> rs.getLong(1), "SELECT count(*) FROM approval WHERE state = 'pending' AND tenant = ?", tenant)
                : Sql.first(tx, rs -> rs.getLong(1), "SELECT count(*) FROM approval WHERE state = 'pending' AND tenant = ? AND requested_by = ?", tenant, requestedBy);
        return count == null ? 0 : count;
    }

    /// The newest, oldest first; `tenant`, `sandbox` null: of all.
    static List<ApprovalRow> list(Handle tx, @Nullable String tenant, boolean open, @Nullable String sandbox, int limit) {
        return Sql.list(tx, ApprovalRows::map, """
                SELECT * FROM (SELECT * FROM approval WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR sandbox = ?2) AND (?3 = 0 OR state IN ('pending', 'approved'))
                ORDER BY created_at DESC, id LIMIT ?4) ORDER BY created_at, id""", tenant, sandbox, open ? 1 : 0, limit);
    }

    /// False where it is not in that state any more.
    static boolean move(Handle tx, ApprovalRow row, State from, State to, @Nullable Instant deadline) {
        return Sql.update(tx, "UPDATE approval SET state = ?, deadline = ? WHERE id = ? AND state = ?", to.wire(), Columns.micros(deadline == null ? row.deadline() : deadline), row.id().value(), from.wire()) == 1;
    }

    static boolean redeem(Handle tx, ApprovalId id, @Nullable String exec, Instant now) {
        return Sql.update(tx, "UPDATE approval SET state = 'redeemed', redeemed_at = ?, exec = ? WHERE id = ? AND state = 'approved' AND deadline > ?", Columns.micros(now), exec, id.value(),
                Columns.micros(now)) == 1;
    }

    static void decision(Handle tx, ApprovalId id, Approval.Decision d) {
        Sql.update(tx, "INSERT INTO approval_decision (approval, person, key, verdict, reason, at) VALUES (?, ?, ?, ?, ?, ?)", id.value(), d.person(), d.key(), d.verdict(), d.reason(), Columns.micros(d.at()));
    }

    static List<Approval.Decision> decisions(Handle tx, ApprovalId id) {
        return Sql.list(tx, rs -> new Approval.Decision(rs.getString("person"), rs.getString("key"), rs.getString("verdict"), rs.getString("reason"), Columns.instant(rs.getLong("at"))),
                "SELECT person, key, verdict, reason, at FROM approval_decision WHERE approval = ? ORDER BY at, person", id.value());
    }

    /// What is over and older than that; with their sandbox' rows nothing of what was shown stays.
    static int forget(Handle tx, Instant old) {
        Sql.update(tx, "DELETE FROM approval_decision WHERE approval IN (SELECT id FROM approval WHERE created_at < ? AND state NOT IN ('pending', 'approved'))", Columns.micros(old));
        return Sql.update(tx, "DELETE FROM approval WHERE created_at < ? AND state NOT IN ('pending', 'approved')", Columns.micros(old));
    }

    /// All of one sandbox, with what was shown and what was said.
    static void erase(Handle tx, String sandbox) {
        Sql.update(tx, "DELETE FROM approval_decision WHERE approval IN (SELECT id FROM approval WHERE sandbox = ?)", sandbox);
        Sql.update(tx, "DELETE FROM approval WHERE sandbox = ?", sandbox);
    }

    private static ApprovalRow map(ResultSet rs) throws SQLException {
        long redeemed = rs.getLong("redeemed_at");
        boolean unused = rs.wasNull();
        return new ApprovalRow(new ApprovalId(rs.getString("id")), rs.getString("tenant"), rs.getString("sandbox"), rs.getString("kind"), State.valueOf(rs.getString("state").toUpperCase(Locale.ROOT)),
                Columns.parse(rs.getString("shown"), SHOWN), Columns.parse(rs.getString("rules"), RULES), rs.getInt("needed"), Duration.of(rs.getLong("within_us"), ChronoUnit.MICROS),
                rs.getString("requested_by"), rs.getString("requester"), Columns.instant(rs.getLong("created_at")), Columns.instant(rs.getLong("deadline")), unused ? null : Columns.instant(redeemed),
                rs.getString("exec"));
    }
}
