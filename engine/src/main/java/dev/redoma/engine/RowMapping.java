// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Isolation;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Mount;
import dev.redoma.model.wire.StopReason;
import dev.redoma.model.wire.TemplateRef;
import dev.redoma.model.wire.Workspace;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;

/// From a line of the `sandbox` table to its record.
final class RowMapping {
    static final TypeReference<Map<String, String>> STRINGS = new TypeReference<>() {};
    static final TypeReference<List<LayerRef>> LAYERS = new TypeReference<>() {};

    static final TypeReference<List<Mount>> MOUNTS = new TypeReference<>() {};

    private RowMapping() {}

    static SandboxRow sandbox(ResultSet rs) throws SQLException {
        String target = rs.getString("target");
        return new SandboxRow(
                new SandboxId(rs.getString("id")), new TenantId(rs.getString("tenant")), rs.getString("name"),
                State.of(rs.getString("state")), target == null ? null : Target.of(target),
                new TemplateRef(rs.getString("template_name"), rs.getString("template_digest")),
                Columns.parse(rs.getString("layers"), LAYERS), Columns.parse(rs.getString("labels"), STRINGS),
                Columns.parse(rs.getString("env"), STRINGS), Columns.parse(rs.getString("limits"), Limits.class),
                Columns.parse(rs.getString("isolation"), Isolation.class), rs.getString("privileges"), rs.getString("policy"),
                rs.getString("reopen"), rs.getString("on_timeout"), rs.getBoolean("untrusted"), number(rs, "uid_base"), instance(rs),
                Columns.instant(rs.getLong("created_at")), rs.getString("created_by"), instant(rs, "started_at"), instant(rs, "ends_at"),
                remaining(rs), instant(rs, "ended_at"), Columns.instant(rs.getLong("active_at")), rs.getLong("starts"),
                rs.getBoolean("warm"), reason(rs), rs.getString("forked_from"), Columns.parse(rs.getString("mounts"), MOUNTS),
                workspace(rs));
    }

    private static @Nullable InstanceRef instance(ResultSet rs) throws SQLException {
        String name = rs.getString("instance_name");
        return name == null ? null : new InstanceRef(name, rs.getInt("instance_pid"), rs.getLong("instance_start"));
    }

    private static @Nullable Workspace workspace(ResultSet rs) throws SQLException {
        String text = rs.getString("workspace");
        return text == null ? null : Columns.parse(text, Workspace.class);
    }

    private static @Nullable Duration remaining(ResultSet rs) throws SQLException {
        Long micros = number(rs, "remaining_us");
        return micros == null ? null : Duration.of(micros, ChronoUnit.MICROS);
    }

    private static @Nullable StopReason reason(ResultSet rs) throws SQLException {
        String kind = rs.getString("reason");
        return kind == null
                ? null
                : new StopReason(kind, rs.getString("reason_limit"), rs.getString("reason_message"), Columns.instant(rs.getLong("reason_at")));
    }

    static @Nullable Long number(ResultSet rs, String column) throws SQLException {
        long value = rs.getLong(column);
        return rs.wasNull() ? null : value;
    }

    static @Nullable Instant instant(ResultSet rs, String column) throws SQLException {
        Long micros = number(rs, column);
        return micros == null ? null : Columns.instant(micros);
    }
}
