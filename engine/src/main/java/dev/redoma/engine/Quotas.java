// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.TenantId;
import dev.redoma.store.Sql;
import org.jdbi.v3.core.Handle;

/// What a tenant may have at a time. Counted in the transaction that adds one, so that parallel calls never pass the limit.
final class Quotas {
    /// Rows that hold or are getting an instance.
    private static final String LIVE = "state <> 'ended' AND (state IN ('creating', 'running', 'paused') OR target = 'start')";

    private final EngineConfig.Quota quota;
    private final boolean sharedKernel;

    Quotas(EngineConfig config) {
        this.quota = config.quota();
        this.sharedKernel = config.sharedKernel();
    }

    /// Before the row of a new sandbox is added.
    void mayCreate(Handle tx, TenantId tenant) {
        mayRun(tx, tenant);
        refuse("stored", count(tx, tenant, "state <> 'ended'"), quota.stored());
    }

    /// Before a stopped one starts again.
    void mayRun(Handle tx, TenantId tenant) {
        refuse("live", count(tx, tenant, LIVE), quota.live());
    }

    void maySave(Handle tx, TenantId tenant) {
        refuse("snapshots", SnapshotRows.count(tx, tenant), quota.snapshots());
    }

    /// Before a volume is added or grows.
    void mayKeep(Handle tx, TenantId tenant, long moreBytes, int moreVolumes) {
        var kept = VolumeRows.kept(tx, tenant);
        if (moreVolumes > 0) {
            refuse("volumes", kept.volumes(), quota.volumes());
        }
        if (moreBytes > 0 && kept.bytes() + moreBytes > quota.volumeBytes()) {
            throw Problem.of(Code.QUOTA_EXCEEDED, "The volumes of a tenant may have " + Amounts.size(quota.volumeBytes()) + " together, " + Amounts.size(kept.bytes()) + " are given.",
                            "Delete some, or make them smaller.")
                    .with("quota", "volumeBytes").with("limit", quota.volumeBytes()).with("inUse", kept.bytes()).raise();
        }
    }

    /// Two tenants share a kernel only where the operator said so.
    void mayShare(Handle tx, TenantId tenant, String kernel) {
        if (sharedKernel || !kernel.equals("shared-kernel")) {
            return;
        }
        if (number(tx, "SELECT EXISTS (SELECT 1 FROM sandbox WHERE tenant <> ? AND " + LIVE + ")", tenant) != 0) {
            throw Problem.of(Code.POLICY_REFUSED, "Another tenant's sandboxes run on this kernel, and tenants may not share one here.",
                            "Ask the operator for tenancy.shared-kernel: true, or for a tier with a kernel of its own.")
                    .with("setting", "tenancy.shared-kernel")
                    .raise();
        }
    }

    private static int count(Handle tx, TenantId tenant, String which) {
        return number(tx, "SELECT count(*) FROM sandbox WHERE tenant = ? AND " + which, tenant);
    }

    private static int number(Handle tx, String sql, TenantId tenant) {
        return Sql.list(tx, rs -> rs.getInt(1), sql, tenant.value()).getFirst();
    }

    private static void refuse(String what, int inUse, int limit) {
        if (inUse >= limit) {
            throw Problem.of(Code.QUOTA_EXCEEDED, "Limit of " + limit + " (" + what + ") reached, " + inUse + " in use.", "End some, then try again.")
                    .with("quota", what).with("limit", limit).with("inUse", inUse)
                    .raise();
        }
    }
}
