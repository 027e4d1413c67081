// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
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
        Long base = tx.createQuery("""
                SELECT coalesce(
                    (SELECT :first WHERE NOT EXISTS (SELECT 1 FROM uid_range WHERE base = :first)),
                    (SELECT min(base) + :width FROM uid_range u
                     WHERE base >= :first AND NOT EXISTS (SELECT 1 FROM uid_range n WHERE n.base = u.base + :width)))""")
                .bind("first", uids.first()).bind("width", UidRange.WIDTH)
                .mapTo(Long.class).one();
        if (base >= uids.first() + uids.count() * UidRange.WIDTH) {
            throw Problem.of(Code.NO_CAPACITY, "All " + uids.count() + " ranges of user ids are in use.", "End sandboxes or delete snapshots.")
                    .with("resource", "uid-ranges").with("limit", uids.count())
                    .raise();
        }
        tx.createUpdate("INSERT INTO uid_range (base, owner) VALUES (:base, :owner)").bind("base", base).bind("owner", owner).execute();
        return new UidRange(base);
    }

    void handOver(Handle tx, UidRange range, SandboxId sandbox) {
        tx.createUpdate("UPDATE uid_range SET owner = :owner WHERE base = :base")
                .bind("owner", sandbox.value()).bind("base", range.base()).execute();
    }

    /// The sandbox (or warm member) is gone; a snapshot of it inherits the range.
    void release(Handle tx, UidRange range) {
        int inherited = tx.createUpdate("""
                UPDATE uid_range SET owner = (SELECT id FROM snapshot WHERE uid_base = :base LIMIT 1)
                WHERE base = :base AND EXISTS (SELECT 1 FROM snapshot WHERE uid_base = :base)""")
                .bind("base", range.base()).execute();
        if (inherited == 0) {
            tx.createUpdate("DELETE FROM uid_range WHERE base = :base").bind("base", range.base()).execute();
        }
    }

    /// After a snapshot's row went: passes its range on to another snapshot of the same sandbox, or frees it.
    void released(Handle tx, SnapshotId snapshot, long base) {
        boolean owned = tx.createQuery("SELECT EXISTS (SELECT 1 FROM uid_range WHERE base = :base AND owner = :owner)")
                .bind("base", base).bind("owner", snapshot.value()).mapTo(Boolean.class).one();
        if (owned) {
            release(tx, new UidRange(base));
        }
    }
}
