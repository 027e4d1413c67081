// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/// The commands of a sandbox as rows count them beside what is on record of them: a gap is itself a finding.
final class Reconciled {
    private Reconciled() {}

    /// `whole`: each was asked for and ended on record, and there is a row for each that began.
    static Map<String, Object> of(Handle tx, SandboxId sandbox) {
        long rows = count(tx, "SELECT count(*) FROM exec WHERE sandbox = :id", sandbox);
        long requested = count(tx, "SELECT count(*) FROM record WHERE sandbox = :id AND category = 'exec' AND action = 'requested'", sandbox);
        long ended = count(tx, "SELECT count(*) FROM record WHERE sandbox = :id AND category = 'exec' AND action = 'ended'", sandbox);
        long refused = count(tx, "SELECT count(*) FROM record WHERE sandbox = :id AND category = 'exec' AND action = 'ended' AND body LIKE '%\"state\":\"refused\"%'", sandbox);
        return Map.of("commands", rows, "requested", requested, "ended", ended, "refused", refused, "whole", requested == ended && rows == requested - refused);
    }

    private static long count(Handle tx, String sql, SandboxId sandbox) {
        return tx.createQuery(sql).bind("id", sandbox.value()).mapTo(Long.class).one();
    }
}
