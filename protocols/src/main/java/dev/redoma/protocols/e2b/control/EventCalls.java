// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.redoma.http.Query;
import dev.redoma.http.Route;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.protocols.e2b.Office;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What happened to sandboxes, read from the ledger. Nothing is kept for it beside that.
final class EventCalls {
    private static final String LIFE = "sandbox.lifecycle.";
    private static final int PAGE = 10;
    private static final int LARGEST = 100;
    private static final String VERSION = "v2";

    /// By the record that says that it is done, never by the one that says that it began: one that was started ahead runs with its first record.
    private static final Map<String, String> TYPES = Map.of("running", "created", "create", "created", "ended", "killed", "lifetime", "updated", "paused", "paused", "stopped", "paused",
            "resumed", "resumed", "started", "resumed", "snapshot.saved", "checkpointed");

    private final Endpoints on;
    private final Office office;

    EventCalls(Endpoints on, Office office) {
        this.on = on;
        this.office = office;
    }

    /// `sandboxBuildId`: of the version that it stands on. `sandboxTemplateId` is null where the record of its creation is not among the newest.
    public record Event(
            String version,
            String id,
            String type,
            Map<String, Object> eventData,
            String sandboxBuildId,
            @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String sandboxExecutionId,
            String sandboxId,
            String sandboxTeamId,
            @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String sandboxTemplateId,
            Instant timestamp) {}

    List<Route> routes() {
        return List.of(
                on.get("/events/sandboxes", Scope.READ, c -> tell(c, null)),
                on.get("/events/sandboxes/{id}", Scope.READ, c -> tell(c, c.sandbox())));
    }

    private void tell(Asked c, @Nullable String sandbox) throws IOException {
        var query = c.http().query();
        int limit = (int) query.number("limit", PAGE, 1, LARGEST);
        var records = office.happened(c.caller(), sandbox);
        var templates = new HashMap<String, String>();
        records.stream().filter(r -> r.action().equals("create")).forEach(r -> templates.put(String.valueOf(r.sandbox()), String.valueOf(r.fields().get("template"))));
        var events = records.stream().filter(EventCalls::tells).map(r -> event(r, templates.get(r.sandbox()))).toList();
        c.http().json(200, (ascending(query) ? events : events.reversed()).stream().skip(query.number("offset", 0, 0, Integer.MAX_VALUE)).limit(limit).toList());
    }

    private static boolean tells(AuditRecord r) {
        return r.sandbox() != null && TYPES.containsKey(r.action()) && (!r.action().equals("create") || Boolean.TRUE.equals(r.fields().get("warm")));
    }

    private static boolean ascending(Query query) {
        return switch (query.get("orderAsc")) {
            case null -> false;
            case "true" -> true;
            case "false" -> false;
            default -> throw Problem.field("orderAsc", "is neither", "true or false");
        };
    }

    private static Event event(AuditRecord r, @Nullable String template) {
        var data = new LinkedHashMap<>(r.fields());
        data.keySet().retainAll(List.of("reason", "limit", "snapshot"));
        data.put("action", r.action());
        var id = UUID.nameUUIDFromBytes((r.tenant() + '/' + r.seq()).getBytes(StandardCharsets.UTF_8)).toString();
        return new Event(VERSION, id, LIFE + TYPES.get(r.action()), data, TemplateCalls.build(String.valueOf(r.fields().getOrDefault("digest", ""))), null,
                String.valueOf(r.sandbox()), r.tenant(), template, r.at());
    }
}
