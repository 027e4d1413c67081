// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import dev.redoma.store.Sql;
import org.jdbi.v3.core.Handle;

/// Hands out ranges of host uids, each to one owner (sandbox, snapshot or warm member) at a time. The row stands before anything owned
/// by the range does and goes after it; a saved upper keeps the range of its sandbox from being used again.
final class UidRanges {
    /// Owner of a warm member: this and its id.
    static final String WARM = "warm:";

    private final EngineConfig.Uids uids;

    UidRanges(EngineConfig.Uids uids) {
        this.uids = uids;
    }

    UidRange take(Handle tx, String owner) {
        long base = Sql.list(tx, rs -> rs.getLong(1), """
                SELECT coalesce(
                    (SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM uid_range WHERE base = ?1)),
                    (SELECT min(base) + ?2 FROM uid_range u
                     WHERE base >= ?1 AND NOT EXISTS (SELECT 1 FROM uid_range n WHERE n.base = u.base + ?2)))""",
                uids.first(), UidRange.WIDTH).getFirst();
        if (base >= uids.first() + uids.count() * UidRange.WIDTH) {
            throw Problem.of(Code.NO_CAPACITY, "All " + uids.count() + " ranges of user ids are in use.", "End sandboxes or delete snapshots.")
                    .with("resource", "uid-ranges").with("limit", uids.count())
                    .raise();
        }
        Sql.update(tx, "INSERT INTO uid_range (base, owner) VALUES (?, ?)", base, owner);
        return new UidRange(base);
    }

    void handOver(Handle tx, UidRange range, SandboxId sandbox) {
        Sql.update(tx, "UPDATE uid_range SET owner = ? WHERE base = ?", sandbox.value(), range.base());
    }

    /// The sandbox (or warm member) is gone; a snapshot of it inherits the range.
    void release(Handle tx, UidRange range) {
        int inherited = Sql.update(tx, """
                UPDATE uid_range SET owner = (SELECT id FROM snapshot WHERE uid_base = ?1 LIMIT 1)
                WHERE base = ?1 AND EXISTS (SELECT 1 FROM snapshot WHERE uid_base = ?1)""", range.base());
        if (inherited == 0) {
            Sql.update(tx, "DELETE FROM uid_range WHERE base = ?", range.base());
        }
    }

    /// After a snapshot's row went: passes its range on to another snapshot of the same sandbox, or frees it.
    void released(Handle tx, SnapshotId snapshot, long base) {
        boolean owned = Sql.list(tx, rs -> rs.getBoolean(1), "SELECT EXISTS (SELECT 1 FROM uid_range WHERE base = ? AND owner = ?)",
                base, snapshot.value()).getFirst();
        if (owned) {
            release(tx, new UidRange(base));
        }
    }
}
