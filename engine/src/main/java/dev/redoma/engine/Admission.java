// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.pool.Pool;
import dev.redoma.store.Sql;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Handle;

/// Lets a sandbox in only if the host really has room: reads what is free now, keeps the reserve, and bounds what is promised in
/// all. Paused sandboxes count, the freezer keeps their memory. Thread-safe.
final class Admission {
    /// What a sandbox needs to come up at all.
    private static final long FIRST_MEMORY = 32L << 20;
    private static final long FIRST_DISK = 4L << 20;
    private static final long FIRST_TASKS = 16;

    private final EngineConfig.Reserve reserve;
    private final Pool pool;
    private final LongSupplier warmMembers;

    Admission(EngineConfig.Reserve reserve, Pool pool, LongSupplier warmMembers) {
        this.reserve = reserve;
        this.pool = pool;
        this.warmMembers = warmMembers;
    }

    /// What the host and pool have at this moment.
    record Room(HostReading host, Pool.Space disk) {}

    /// Before anything is written: is there really room for one more?
    Room look() {
        var room = new Room(HostReading.now(), pool.space());
        atLeast("memory", room.host().memoryAvailable(), reserve.memoryBytes() + FIRST_MEMORY);
        atLeast("disk", room.disk().freeBytes(), reserve.diskBytes() + FIRST_DISK);
        atLeast("pids", room.host().tasksMax() - room.host().tasks(), reserve.pids() + FIRST_TASKS);
        return room;
    }

    /// In the transaction that adds or enlarges a volume.
    void promiseDisk(Handle tx, Room room, long bytes) {
        within("disk", promised(tx).disk() + bytes, room.disk().totalBytes() * reserve.diskTimes());
    }

    /// In the transaction that adds it: do the promises stay within their share?
    void promise(Handle tx, Room room, InstanceLimits limits, long disk) {
        Promised promised = promised(tx);
        long ahead = warmMembers.getAsLong();
        within("memory", promised.memory() + limits.memoryBytes() * (1 + ahead), room.host().memoryTotal() * reserve.memoryTimes());
        within("pids", promised.pids() + limits.pids() * (1 + ahead), room.host().tasksMax() * reserve.pidsTimes());
        within("disk", promised.disk() + disk * (1 + ahead), room.disk().totalBytes() * reserve.diskTimes());
    }

    private static Promised promised(Handle tx) {
        return Sql.list(tx, rs -> new Promised(rs.getLong("memory"), rs.getLong("pids"), rs.getLong("disk")), """
                SELECT coalesce(sum(json_extract(limits, '$.memoryBytes')) FILTER (WHERE state IN ('creating', 'running', 'paused')), 0) AS memory,
                       coalesce(sum(json_extract(limits, '$.pids')) FILTER (WHERE state IN ('creating', 'running', 'paused')), 0) AS pids,
                       coalesce(sum(json_extract(limits, '$.diskBytes')), 0) + (SELECT coalesce(sum(size_bytes), 0) FROM volume) AS disk
                FROM sandbox WHERE state <> 'ended'""").getFirst();
    }

    private record Promised(long memory, long pids, long disk) {}

    private static void atLeast(String resource, long free, long needed) {
        if (free < needed) {
            throw refused(resource, "The host has too little " + resource + " free: " + free + ", needed " + needed + " with the reserve.")
                    .with("free", free).with("needed", needed).raise();
        }
    }

    private static void within(String resource, double promised, double share) {
        if (promised > share) {
            throw refused(resource, "The host has promised its share of " + resource + ": " + (long) promised + " would exceed " + (long) share + ".")
                    .with("promised", (long) promised).with("limit", (long) share).raise();
        }
    }

    private static Problem refused(String resource, String message) {
        return Problem.of(Code.NO_CAPACITY, message, "End or stop sandboxes (paused ones count), or try again later.").with("resource", resource);
    }
}
