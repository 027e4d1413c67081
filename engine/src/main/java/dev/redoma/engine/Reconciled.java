// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.store.Sql;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Handle;

/// What was counted of a sandbox beside what is on record of it: a gap is itself a finding.
final class Reconciled {
    private record Rows(long commands, long output) {}

    private record Records(long requested, long ended, long refused, long output) {}

    private Reconciled() {}

    /// `whole`: each command was asked for and ended on record, there is a row for each that began, and of their output not less is counted than is on record (processes that
    /// outlive their command write after its end); and what is counted and recorded of `egress` is the same.
    static Map<String, Object> of(Handle tx, SandboxId sandbox, Map<String, Object> egress) {
        var rows = Objects.requireNonNull(Sql.first(tx, r -> new Rows(r.getLong(1), r.getLong(2)),
                "SELECT count(*), coalesce(sum(output_bytes + dropped_bytes), 0) FROM exec WHERE sandbox = ?", sandbox.value()));
        var records = Objects.requireNonNull(Sql.first(tx, r -> new Records(r.getLong(1), r.getLong(2), r.getLong(3), r.getLong(4)), """
                SELECT coalesce(sum(action = 'requested'), 0), coalesce(sum(action = 'ended'), 0), coalesce(sum(action = 'ended' AND body ->> '$.fields.state' = 'refused'), 0),
                    coalesce(sum((body ->> '$.fields.outputBytes') + (body ->> '$.fields.droppedBytes')), 0) FROM record WHERE sandbox = ? AND category = 'exec'""", sandbox.value()));
        boolean whole = records.requested == records.ended && rows.commands == records.requested - records.refused && rows.output >= records.output
                && !Boolean.FALSE.equals(egress.get("whole"));
        var told = new LinkedHashMap<String, Object>();
        told.put("commands", rows.commands);
        told.put("requested", records.requested);
        told.put("ended", records.ended);
        told.put("refused", records.refused);
        told.put("outputBytes", List.of(rows.output, records.output));
        if (!egress.isEmpty()) {
            told.put("egress", egress);
        }
        told.put("whole", whole);
        return told;
    }
}
