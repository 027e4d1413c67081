// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.store.Sql;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The `sandbox` table. Stateless; a call runs in its caller's transaction.
final class SandboxRows {
    private SandboxRows() {}

    static void insert(Handle tx, SandboxRow row) {
        InstanceRef instance = row.instance();
        Sql.update(tx, """
                INSERT INTO sandbox (id, tenant, name, state, target, template_name, template_digest, layers, labels, env, limits, isolation,
                    privileges, policy, reopen, on_timeout, untrusted, uid_base, instance_name, instance_pid, instance_start, created_at,
                    created_by, started_at, ends_at, active_at, starts, warm, forked_from, mounts, workspace)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                row.id().value(), row.tenant().value(), row.name(), row.state().wire(), row.target() == null ? null : row.target().wire(),
                row.template().name(), row.template().digest(), Columns.json(row.layers()), Columns.json(row.labels()),
                Columns.json(row.env()), Columns.json(row.limits()), Columns.json(row.isolation()),
                row.privileges(), row.policy(), row.reopen(), row.onTimeout(), row.untrusted() ? 1 : 0, row.uidBase(),
                instance == null ? null : instance.name(), instance == null ? null : instance.pid(), instance == null ? null : instance.startTicks(),
                Columns.micros(row.createdAt()), row.createdBy(), Columns.microsOrNull(row.startedAt()), Columns.microsOrNull(row.endsAt()),
                Columns.micros(row.activeAt()), row.starts(), row.warm() ? 1 : 0, row.forkedFrom(),
                Columns.json(row.mounts()), row.workspace() == null ? null : Columns.json(row.workspace()));
    }

    static Optional<SandboxRow> find(Handle tx, String id) {
        return Optional.ofNullable(Sql.first(tx, RowMapping::sandbox, "SELECT * FROM sandbox WHERE id = ?", id));
    }

    static SandboxRow get(Handle tx, SandboxId id) {
        return find(tx, id.value()).orElseThrow(() -> new IllegalStateException("no row of " + id));
    }

    /// The one that holds the name now, else the one that held it last.
    static Optional<SandboxRow> named(Handle tx, TenantId tenant, String name) {
        return Optional.ofNullable(Sql.first(tx, RowMapping::sandbox, """
                SELECT * FROM sandbox WHERE tenant = ? AND name = ?
                ORDER BY state = 'ended', created_at DESC LIMIT 1""", tenant.value(), name));
    }

    static List<SandboxRow> notEnded(Handle tx) {
        return Sql.list(tx, RowMapping::sandbox, "SELECT * FROM sandbox WHERE state <> 'ended' ORDER BY created_at");
    }

    static List<SandboxRow> notEndedOf(Handle tx, TenantId tenant) {
        return Sql.list(tx, RowMapping::sandbox, "SELECT * FROM sandbox WHERE tenant = ? AND state <> 'ended' ORDER BY created_at", tenant.value());
    }
}
