// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.Redacted;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Snapshot;
import dev.redoma.model.wire.SnapshotContents;
import dev.redoma.model.wire.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Life of sandboxes. `sandbox` is an id or a name of the caller's tenant. Every verb is idempotent where its goal state holds.
public interface Sandboxes {

    Sandbox create(Caller caller, CreateSandbox request, @Nullable String idempotencyKey);

    /// Ended ones too, for at least 24 hours: `state: ended` with reason and time.
    Sandbox get(Caller caller, String sandbox);

    Page<Sandbox> list(Caller caller, Query query);

    Sandbox pause(Caller caller, String sandbox);

    Sandbox resume(Caller caller, String sandbox);

    Sandbox stop(Caller caller, String sandbox);

    Sandbox start(Caller caller, String sandbox);

    Sandbox reset(Caller caller, String sandbox);

    /// Ends it; the record stays. A second kill answers the same ended sandbox.
    Sandbox kill(Caller caller, String sandbox);

    /// `quarantine`: freezes and keeps all evidence (reason `quarantine`); only operators end it (resume or kill).
    /// `why`: the caller's words, for the record.
    Sandbox quarantine(Caller caller, String sandbox, @Nullable String why);

    default Sandbox quarantine(Caller caller, String sandbox) {
        return quarantine(caller, sandbox, null);
    }

    /// Every sandbox of a tenant (null: of the installation); operators only. Returns how many were ended.
    /// `why`: the caller's words, for the record.
    int killAll(Caller caller, @Nullable String tenant, @Nullable String why);

    default int killAll(Caller caller, @Nullable String tenant) {
        return killAll(caller, tenant, null);
    }

    /// New end time = now + lifetime.
    Sandbox setLifetime(Caller caller, String sandbox, Duration lifetime);

    /// Masks more values of one that lives, in all that comes from now on; `tokens` is for create alone. What was kept and shown before is not changed: `scan` finds where it stands.
    Redacted redact(Caller caller, String sandbox, Redact more);

    /// The environment that create gave all its commands.
    Map<String, String> env(Caller caller, String sandbox);

    Usage usage(Caller caller, String sandbox);

    /// The engine's and guest's own messages about a sandbox (operators); newest last.
    List<String> systemLog(Caller caller, String sandbox);

    /// Saves the disk of a running, paused or stopped one. What is in it is kept, scrubbed or refused by class, as the request and the
    /// configuration say; CONTENTS_REFUSED or SCRUB_FAILED leave nothing. `snapshot` below: an id, or a reference by name, tag or digest.
    Snapshot snapshot(Caller caller, String sandbox, CreateSnapshot request);

    List<Snapshot> listSnapshots(Caller caller, SnapshotQuery query);

    default List<Snapshot> snapshots(Caller caller, @Nullable String sandbox) {
        return listSnapshots(caller, new SnapshotQuery(sandbox, null, Map.of()));
    }

    Snapshot getSnapshot(Caller caller, String snapshot);

    /// What is in it, as read now.
    SnapshotContents snapshotContents(Caller caller, String snapshot);

    /// Lets a tag of its name point at it.
    Snapshot tagSnapshot(Caller caller, String snapshot, String tag);

    void untagSnapshot(Caller caller, String name, String tag);

    void deleteSnapshot(Caller caller, String snapshot);

    /// All must match; labels too.
    record SnapshotQuery(@Nullable String sandbox, @Nullable String name, Map<String, String> labels) {}

    /// A new sandbox from the disk as it is now, made whole or not at all.
    Sandbox fork(Caller caller, String sandbox, ForkSandbox request, @Nullable String idempotencyKey);

    /// Labels must all match; states empty = all but `ended`. `cursor` from the page before; limit 1..200. `template`: its name, or the
    /// id or name of the snapshot; `after`: created later than that; `oldestFirst`: else the newest are first.
    record Query(Set<String> states, Map<String, String> labels, @Nullable String name, @Nullable String template, @Nullable Instant after,
            boolean oldestFirst, @Nullable String cursor, int limit) {

        /// Of any template and time, newest first.
        public Query(Set<String> states, Map<String, String> labels, @Nullable String name, @Nullable String cursor, int limit) {
            this(states, labels, name, null, null, false, cursor, limit);
        }
    }
}
