// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ExecId;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.store.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/// The table `exec`. While an exec runs its row says `starting` or `running`, and what counts is in memory.
final class ExecRows {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private ExecRows() {}

    static void insert(Handle h, ExecFacts facts) {
        var deadline = facts.deadline();
        Sql.update(h, """
                INSERT INTO exec (id, sandbox, tenant, spec, cwd, user, label, state, started_by, started_at, deadline)
                VALUES (?, ?, ?, ?, ?, ?, ?, 'starting', ?, ?, ?)""",
                facts.id().value(), facts.sandbox().value(), facts.tenant(), JSON.writeValueAsString(kept(facts.spec())), facts.cwd(), facts.user(),
                facts.spec().label(), facts.actor(), micros(facts.startedAt()), deadline == null ? null : micros(deadline));
    }

    /// What a later server needs of it; the environment only the start needed, and it may hold secrets.
    private static ExecSpec kept(ExecSpec spec) {
        return new ExecSpec(spec.argv(), spec.cwd(), null, spec.user(), spec.tty(), spec.stdin(), spec.timeoutMs(), spec.outputLimitBytes(), spec.label());
    }

    static void running(Handle h, ExecId id, int pid, long boot) {
        Sql.update(h, "UPDATE exec SET state = 'running', pid = ?, boot = ? WHERE id = ? AND state = 'starting'", pid, boot, id.value());
    }

    static void end(Handle h, ExecId id, @Nullable Integer pid, ExecOutcome o, Output output) {
        Sql.update(h, """
                UPDATE exec SET state = ?, pid = ?, ended_at = ?, exit_code = ?, signal = ?, timed_out = ?, killed = ?, oom_killed = ?,
                    reason = ?, wall_us = ?, cpu_us = ?, peak_bytes = ?, output_bytes = ?, dropped_bytes = ?, output_closed = ?, exit_offset = ?
                WHERE id = ?""",
                o.state(), pid, micros(o.endedAt()), o.exitCode(), o.signal(), flag(o.timedOut()), flag(o.killed()), flag(o.oomKilled()),
                o.reason(), o.wallMicros(), o.cpuMicros(), o.peakBytes(), output.kept(), output.dropped(), flag(output.closed()), output.kept(),
                id.value());
    }

    static void output(Handle h, ExecId id, Output output) {
        Sql.update(h, "UPDATE exec SET output_bytes = ?, dropped_bytes = ?, output_closed = ? WHERE id = ?",
                output.kept(), output.dropped(), flag(output.closed()), id.value());
    }

    /// Its kept output was removed for that of later ones.
    static void outputRemoved(Handle h, ExecId id) {
        Sql.update(h, "UPDATE exec SET dropped_bytes = dropped_bytes + output_bytes, output_bytes = 0, exit_offset = 0 WHERE id = ?", id.value());
    }

    /// Bytes of output that there were when its process ended; empty where that is not known.
    static Optional<Long> exitOffset(Handle h, ExecId id) {
        return h.createQuery("SELECT exit_offset FROM exec WHERE id = :id AND exit_offset IS NOT NULL").bind("id", id.value()).mapTo(Long.class).findOne();
    }

    private static int flag(boolean value) {
        return value ? 1 : 0;
    }

    /// It never began.
    static void delete(Handle h, ExecId id) {
        h.createUpdate("DELETE FROM exec WHERE id = :id").bind("id", id.value()).execute();
    }

    static Optional<Exec> find(Handle h, SandboxId sandbox, String id) {
        return h.createQuery("SELECT * FROM exec WHERE sandbox = :sandbox AND id = :id")
                .bind("sandbox", sandbox.value()).bind("id", id).map((rs, ctx) -> wire(rs)).findOne();
    }

    /// In order of their start, after the one given.
    static List<Exec> page(Handle h, SandboxId sandbox, long afterMicros, String afterId, int limit) {
        return h.createQuery("""
                        SELECT * FROM exec WHERE sandbox = :sandbox AND (started_at, id) > (:at, :id)
                        ORDER BY started_at, id LIMIT :limit""")
                .bind("sandbox", sandbox.value()).bind("at", afterMicros).bind("id", afterId).bind("limit", limit)
                .map((rs, ctx) -> wire(rs)).list();
    }

    /// Those of a sandbox whose end or whose last output was not seen yet.
    static List<Unfinished> unfinished(Handle h, SandboxId sandbox) {
        return h.createQuery("SELECT exec.*, sandbox.template_digest FROM exec JOIN sandbox ON sandbox.id = exec.sandbox "
                        + "WHERE exec.sandbox = :sandbox AND (exec.state IN ('starting', 'running') OR exec.output_closed = 0)")
                .bind("sandbox", sandbox.value()).map((rs, ctx) -> unfinished(rs)).list();
    }

    private static Unfinished unfinished(ResultSet rs) throws SQLException {
        var facts = new ExecFacts(new ExecId(rs.getString("id")), new SandboxId(rs.getString("sandbox")), rs.getString("template_digest"),
                rs.getString("tenant"), rs.getString("started_by"), spec(rs), rs.getString("cwd"), rs.getString("user"), instant(rs.getLong("started_at")),
                moment(rs, "deadline"));
        return new Unfinished(facts, wire(rs), number(rs, "exit_offset"));
    }

    private static Exec wire(ResultSet rs) throws SQLException {
        var spec = spec(rs);
        return new Exec(
                rs.getString("id"), rs.getString("sandbox"), spec.argv(), shown(rs.getString("cwd")), rs.getString("user"), spec.tty(),
                rs.getString("state"), integer(rs, "pid"), rs.getString("label"), instant(rs.getLong("started_at")), moment(rs, "ended_at"),
                integer(rs, "exit_code"), integer(rs, "signal"), rs.getBoolean("timed_out"), rs.getBoolean("killed"),
                rs.getBoolean("oom_killed"), rs.getString("reason"), spec.timeoutMs(), millis(rs, "wall_us"), millis(rs, "cpu_us"),
                number(rs, "peak_bytes"), rs.getLong("output_bytes"), rs.getLong("dropped_bytes"), rs.getBoolean("output_closed"));
    }

    /// The home of a user is known to the guest alone.
    static String shown(String cwd) {
        return cwd.isEmpty() ? "~" : cwd;
    }

    private static ExecSpec spec(ResultSet rs) throws SQLException {
        return JSON.readValue(rs.getString("spec"), ExecSpec.class);
    }

    static long micros(Instant at) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at);
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static @Nullable Instant moment(ResultSet rs, String column) throws SQLException {
        var micros = number(rs, column);
        return micros == null ? null : instant(micros);
    }

    private static @Nullable Long millis(ResultSet rs, String column) throws SQLException {
        var micros = number(rs, column);
        return micros == null ? null : micros / 1000;
    }

    private static @Nullable Long number(ResultSet rs, String column) throws SQLException {
        long value = rs.getLong(column);
        return rs.wasNull() ? null : value;
    }

    private static @Nullable Integer integer(ResultSet rs, String column) throws SQLException {
        int value = rs.getInt(column);
        return rs.wasNull() ? null : value;
    }

    /// What is known of the output.
    record Output(long kept, long dropped, boolean closed) {}

    /// A row that an earlier server did not finish, and how it shows.
    record Unfinished(ExecFacts facts, Exec seen, @Nullable Long exitOffset) {
        boolean ended() {
            return seen.endedAt() != null;
        }

        ExecOutcome outcome() {
            return new ExecOutcome(seen.state(), seen.exitCode(), seen.signal(), seen.timedOut(), seen.killed(), seen.oomKilled(),
                    seen.reason(), java.util.Objects.requireNonNull(seen.endedAt()), micros(seen.wallMs()), micros(seen.cpuMs()),
                    seen.peakMemoryBytes());
        }

        private static long micros(@Nullable Long millis) {
            return millis == null ? 0 : millis * 1000;
        }
    }
}
