// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.PolicySources;
import dev.redoma.store.Sql;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The `sandbox_policy` table. A sandbox without a row has the policy `none`.
final class PolicyRows {
    private PolicyRows() {}

    static Optional<PolicyRow> find(Handle tx, SandboxId sandbox) {
        return Optional.ofNullable(Sql.first(tx, rs -> new PolicyRow(rs.getLong("epoch"), rs.getString("digest"), Columns.parse(rs.getString("sources"), PolicySources.class)),
                "SELECT epoch, digest, sources FROM sandbox_policy WHERE sandbox = ?", sandbox.value()));
    }

    static void put(Handle tx, SandboxId sandbox, PolicyRow row) {
        Sql.update(tx, """
                INSERT INTO sandbox_policy (sandbox, epoch, digest, sources) VALUES (?, ?, ?, ?)
                ON CONFLICT (sandbox) DO UPDATE SET epoch = excluded.epoch, digest = excluded.digest, sources = excluded.sources""",
                sandbox.value(), row.epoch(), row.digest(), Columns.json(row.sources()));
    }
}
