// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Usage;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A sandbox as aligned lines of name and value.
final class Facts {
    private final Map<String, String> lines = new LinkedHashMap<>();

    static String of(Sandbox box, @Nullable Usage usage) {
        var facts = new Facts();
        facts.identity(box);
        facts.life(box);
        facts.limits(box, usage);
        return facts.text();
    }

    Facts line(String name, @Nullable Object value) {
        if (value != null) {
            lines.put(name, Text.safe(value.toString()));
        }
        return this;
    }

    String text() {
        int width = lines.keySet().stream().mapToInt(String::length).max().orElse(0);
        var out = new StringBuilder();
        lines.forEach((name, value) -> out.append(name).repeat(' ', width - name.length() + 2).append(value).append('\n'));
        return out.toString();
    }

    private void identity(Sandbox box) {
        line("id", box.id()).line("name", box.name()).line("tenant", box.tenant());
        line("template", box.template().name() + " " + box.template().digest()).line("forked from", box.forkedFrom());
        line("labels", box.labels().isEmpty() ? null : box.labels());
        var isolation = box.isolation();
        line("isolation", isolation.tier() + " (kernel " + isolation.kernel() + ", " + isolation.runtime() + " " + isolation.runtimeVersion() + ")");
        isolation.findings().forEach(finding -> line("  known", finding));
        box.volumes().forEach(v -> line(v.cache() == null ? "volume " + v.name() : "cache " + v.cache(), v.path() + (v.readOnly() ? " (read-only)" : "")));
        var workspace = box.workspace();
        line("workspace", workspace == null ? null : workspace.path() + " from " + workspace.from() + " at " + workspace.commit());
        line("privileges", box.privileges()).line("policy", box.policy()).line("reopen", box.reopen());
    }

    private void life(Sandbox box) {
        line("state", box.state());
        var reason = box.reason();
        if (reason != null) {
            line("reason", reason.kind() + (reason.limit() == null ? "" : " (" + reason.limit() + ")")
                    + (reason.message() == null ? "" : ": " + reason.message()));
        }
        line("created", box.createdAt()).line("started", box.startedAt()).line("ends", box.endsAt()).line("ended", box.endedAt());
        line("at its end", box.onTimeout());
    }

    private void limits(Sandbox box, @Nullable Usage usage) {
        var limits = box.limits();
        line("cpu", limits.cpu() + (usage == null ? "" : " (used " + Durations.text(usage.cpuMs()) + ")"));
        line("memory", Text.size(limits.memoryBytes()) + (usage == null ? "" : " (now " + Text.size(usage.memoryBytes()) + ", of it cache " + Text.size(usage.memoryCacheBytes()) + ", peak " + Text.size(usage.memoryPeakBytes()) + ")"));
        line("disk", Text.size(limits.diskBytes()) + (usage == null ? "" : " (now " + Text.size(usage.diskBytes()) + ")"));
        line("processes", limits.pids() + (usage == null ? "" : " (now " + usage.pids() + ")"));
        var refused = usage == null ? null : usage.refused();
        line("refused", refused == null || refused.all() == 0 ? null : RefusedSummary.text(refused) + " by policy");
        line("open files", limits.openFiles()).line("shm", Text.size(limits.shmBytes()));
        var lifetime = limits.lifetimeMs();
        var idle = limits.idleMs();
        line("lifetime", lifetime == null ? null : Durations.text(lifetime)).line("idle", idle == null ? null : Durations.text(idle));
    }
}
