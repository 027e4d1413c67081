// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The `sandbox` table. Stateless; a call runs in its caller's transaction.
final class SandboxRows {
    private SandboxRows() {}

    static void insert(Handle tx, SandboxRow row) {
        tx.createUpdate("""
                INSERT INTO sandbox (id, tenant, name, state, target, template_name, template_digest, layers, labels, env, limits, isolation,
                    privileges, policy, reopen, on_timeout, untrusted, uid_base, instance_name, instance_pid, instance_start, created_at,
                    created_by, started_at, ends_at, active_at, starts, warm, forked_from)
                VALUES (:id, :tenant, :name, :state, :target, :template_name, :template_digest, :layers, :labels, :env, :limits, :isolation,
                    :privileges, :policy, :reopen, :on_timeout, :untrusted, :uid_base, :instance_name, :instance_pid, :instance_start,
                    :created_at, :created_by, :started_at, :ends_at, :active_at, :starts, :warm, :forked_from)""")
                .bind("id", row.id().value()).bind("tenant", row.tenant().value()).bind("name", row.name())
                .bind("state", row.state().wire()).bind("target", row.target() == null ? null : row.target().wire())
                .bind("template_name", row.template().name()).bind("template_digest", row.template().digest())
                .bind("layers", Columns.json(row.layers())).bind("labels", Columns.json(row.labels())).bind("env", Columns.json(row.env()))
                .bind("limits", Columns.json(row.limits())).bind("isolation", Columns.json(row.isolation()))
                .bind("privileges", row.privileges()).bind("policy", row.policy()).bind("reopen", row.reopen())
                .bind("on_timeout", row.onTimeout()).bind("untrusted", row.untrusted()).bind("uid_base", row.uidBase())
                .bind("instance_name", row.instance() == null ? null : row.instance().name())
                .bind("instance_pid", row.instance() == null ? null : row.instance().pid())
                .bind("instance_start", row.instance() == null ? null : row.instance().startTicks())
                .bind("created_at", Columns.micros(row.createdAt())).bind("created_by", row.createdBy())
                .bind("started_at", Columns.microsOrNull(row.startedAt())).bind("ends_at", Columns.microsOrNull(row.endsAt()))
                .bind("active_at", Columns.micros(row.activeAt())).bind("starts", row.starts()).bind("warm", row.warm())
                .bind("forked_from", row.forkedFrom())
                .execute();
    }

    static Optional<SandboxRow> find(Handle tx, String id) {
        return tx.createQuery("SELECT * FROM sandbox WHERE id = :id").bind("id", id)
                .map((rs, ctx) -> RowMapping.sandbox(rs)).findOne();
    }

    static SandboxRow get(Handle tx, SandboxId id) {
        return find(tx, id.value()).orElseThrow(() -> new IllegalStateException("no row of " + id));
    }

    /// The one that holds the name now, else the one that held it last.
    static Optional<SandboxRow> named(Handle tx, TenantId tenant, String name) {
        return tx.createQuery("""
                SELECT * FROM sandbox WHERE tenant = :tenant AND name = :name
                ORDER BY state = 'ended', created_at DESC LIMIT 1""")
                .bind("tenant", tenant.value()).bind("name", name)
                .map((rs, ctx) -> RowMapping.sandbox(rs)).findOne();
    }

    static List<SandboxRow> notEnded(Handle tx) {
        return tx.createQuery("SELECT * FROM sandbox WHERE state <> 'ended' ORDER BY created_at")
                .map((rs, ctx) -> RowMapping.sandbox(rs)).list();
    }

    static List<SandboxRow> notEndedOf(Handle tx, TenantId tenant) {
        return tx.createQuery("SELECT * FROM sandbox WHERE tenant = :tenant AND state <> 'ended' ORDER BY created_at")
                .bind("tenant", tenant.value())
                .map((rs, ctx) -> RowMapping.sandbox(rs)).list();
    }
}
