// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.SandboxId;
import dev.redoma.policy.Reason;
import dev.redoma.store.Sql;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Handle;

/// What the gateway counted of a sandbox beside what is on record of it.
final class EgressGap {
    private record Counted(long ways, long unsettled, long since, long connections, long up, long down, long refused, long unended) {}

    private record Recorded(long connections, long up, long down, long refused) {}

    private EgressGap() {}

    /// Empty where nothing was counted. `waiting`: ways that still have something to record.
    static Map<String, Object> of(Handle tx, SandboxId sandbox, int waiting) {
        var c = Objects.requireNonNull(Sql.first(tx, r -> new Counted(r.getLong(1), r.getLong(2), r.getLong(3), r.getLong(4), r.getLong(5), r.getLong(6), r.getLong(7), r.getLong(8)), """
                SELECT count(*), coalesce(sum(settled = 0), 0), coalesce(min(since), 0), coalesce(sum(connections), 0), coalesce(sum(up), 0), coalesce(sum(down), 0), coalesce(sum(refused), 0),
                    coalesce(sum(unended), 0) FROM egress_way WHERE sandbox = ?""", sandbox.value()));
        if (c.ways + waiting == 0) {
            return Map.of();
        }
        long unsettled = Math.max(c.unsettled, waiting);
        var r = recorded(tx, sandbox, c.since);
        var told = new LinkedHashMap<String, Object>();
        told.put("ways", c.ways);
        told.put("unsettled", unsettled);
        told.put("unended", c.unended);
        boolean whole = unsettled + c.unended == 0;
        whole &= both(told, "connections", c.connections, r.connections);
        whole &= both(told, "up", c.up, r.up);
        whole &= both(told, "down", c.down, r.down);
        whole &= both(told, "refused", c.refused, r.refused);
        told.put("whole", whole);
        return told;
    }

    private static boolean both(Map<String, Object> told, String name, long counted, long recorded) {
        told.put(name, List.of(counted, recorded));
        return counted == recorded;
    }

    private static Recorded recorded(Handle tx, SandboxId sandbox, long since) {
        record Sum(String action, boolean refusal, long times, long up, long down) {}
        var sums = Sql.list(tx, r -> new Sum(r.getString(1), r.getBoolean(2), r.getLong(3), r.getLong(4), r.getLong(5)), """
                SELECT action, coalesce(body ->> '$.fields.reason', '') NOT IN (?, ?), sum(coalesce(body ->> '$.fields.again', 1)), sum(coalesce(body ->> '$.fields.up', 0)), sum(coalesce(body ->> '$.fields.down', 0))
                FROM record WHERE sandbox = ? AND seq >= ? AND category = 'egress' GROUP BY 1, 2""", Reason.NO_ADDRESS.wire(), EgressRecords.TOO_MANY, sandbox.value(), since);
        long connections = 0;
        long up = 0;
        long down = 0;
        long refused = 0;
        for (var sum : sums) {
            if (sum.action.equals("connect.closed")) {
                connections += sum.times;
                up += sum.up;
                down += sum.down;
            } else if (sum.refusal && RefusalCount.ACTIONS.contains(sum.action)) {
                refused += sum.times;
            }
        }
        return new Recorded(connections, up, down, refused);
    }
}
