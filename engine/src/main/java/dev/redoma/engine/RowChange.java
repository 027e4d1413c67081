// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.StopReason;
import dev.redoma.model.wire.Workspace;
import dev.redoma.store.Sql;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// What one transaction changes of a sandbox's row; what is not named stays. Not thread-safe.
final class RowChange {
    private final Map<String, @Nullable Object> columns = new LinkedHashMap<>();

    /// An effect begins: the state stays until it was observed.
    static RowChange begin(Target target) {
        return new RowChange().set("target", target.wire());
    }

    /// The effect was observed (or undone): the row is at rest in this state.
    static RowChange settle(State state) {
        return new RowChange().set("state", state.wire()).set("target", null);
    }

    RowChange instance(@Nullable InstanceRef ref) {
        return set("instance_name", ref == null ? null : ref.name())
                .set("instance_pid", ref == null ? null : ref.pid())
                .set("instance_start", ref == null ? null : ref.startTicks());
    }

    RowChange reason(@Nullable StopReason reason) {
        return set("reason", reason == null ? null : reason.kind())
                .set("reason_limit", reason == null ? null : reason.limit())
                .set("reason_message", reason == null ? null : reason.message())
                .set("reason_at", reason == null ? null : Columns.micros(reason.at()));
    }

    RowChange endsAt(@Nullable Instant instant) {
        return set("ends_at", Columns.microsOrNull(instant));
    }

    RowChange remaining(@Nullable Duration left) {
        return set("remaining_us", left == null ? null : left.dividedBy(ChronoUnit.MICROS.getDuration()));
    }

    RowChange startedAt(Instant instant) {
        return set("started_at", Columns.micros(instant));
    }

    RowChange endedAt(Instant instant) {
        return set("ended_at", Columns.micros(instant));
    }

    RowChange activeAt(Instant instant) {
        return set("active_at", Columns.micros(instant));
    }

    RowChange starts(long starts) {
        return set("starts", starts);
    }

    RowChange limits(Limits limits) {
        return set("limits", Columns.json(limits));
    }

    RowChange workspace(Workspace workspace) {
        return set("workspace", Columns.json(workspace));
    }

    RowChange policy(String name) {
        return set("policy", name);
    }

    RowChange nameless() {
        return set("name", null);
    }

    RowChange noRange() {
        return set("uid_base", null);
    }

    private RowChange set(String column, @Nullable Object value) {
        columns.put(column, value);
        return this;
    }

    void apply(Handle tx, SandboxId id) {
        String assignments = columns.keySet().stream().map(c -> c + " = ?").collect(Collectors.joining(", "));
        var values = new ArrayList<@Nullable Object>(columns.values());
        values.add(id.value());
        Sql.update(tx, "UPDATE sandbox SET " + assignments + " WHERE id = ?", values.toArray());
    }
}
