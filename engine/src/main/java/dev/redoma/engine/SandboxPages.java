// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Lists sandboxes by the time they were created. The cursor is the key of the last row shown, so that what is created meanwhile moves nothing.
final class SandboxPages {
    private static final int MOST = 200;
    private static final String ALLOWED_STATES = "creating, running, paused, stopped, archived, lost, ended";

    private SandboxPages() {}

    record Slice(List<SandboxRow> rows, @Nullable String next) {}

    static Slice read(Handle tx, Caller caller, Sandboxes.Query query) {
        if (query.limit() < 1 || query.limit() > MOST) {
            throw Problem.field("limit", "out of range", "1 to " + MOST);
        }
        var where = new ArrayList<String>();
        var values = new HashMap<String, Object>();
        filter(caller, query, where, values);
        String order = query.oldestFirst() ? "ASC" : "DESC";
        var select = tx.createQuery("SELECT * FROM sandbox WHERE " + String.join(" AND ", where) + " ORDER BY created_at " + order + ", id " + order + " LIMIT :most")
                .bind("most", query.limit() + 1);
        values.forEach(select::bind);
        List<SandboxRow> rows = select.map((rs, ctx) -> RowMapping.sandbox(rs)).list();
        if (rows.size() <= query.limit()) {
            return new Slice(rows, null);
        }
        List<SandboxRow> shown = rows.subList(0, query.limit());
        return new Slice(List.copyOf(shown), cursorAfter(shown.getLast()));
    }

    private static void filter(Caller caller, Sandboxes.Query query, List<String> where, Map<String, Object> values) {
        where.add(states(query.states()));
        if (!caller.operator()) {
            where.add("tenant = :tenant");
            values.put("tenant", caller.tenant().value());
        }
        if (query.name() != null) {
            where.add("name = :name");
            values.put("name", query.name());
        }
        if (query.template() != null) {
            where.add("template_name = :template");
            values.put("template", query.template());
        }
        if (query.after() != null) {
            where.add("created_at > :since");
            values.put("since", Columns.micros(query.after()));
        }
        int n = 0;
        for (var label : query.labels().entrySet()) {
            where.add("EXISTS (SELECT 1 FROM json_each(labels) WHERE key = :k" + n + " AND value = :v" + n + ")");
            values.put("k" + n, label.getKey());
            values.put("v" + n++, label.getValue());
        }
        if (query.cursor() != null) {
            Cursor from = parse(query.cursor());
            where.add("(created_at, id) " + (query.oldestFirst() ? ">" : "<") + " (:at, :after)");
            values.put("at", from.createdAt());
            values.put("after", from.id());
        }
    }

    /// Only names of the enum reach the text.
    private static String states(Set<String> wanted) {
        if (wanted.isEmpty()) {
            return "state <> 'ended'";
        }
        return wanted.stream().map(SandboxPages::state).map(s -> "'" + s.wire() + "'").collect(Collectors.joining(", ", "state IN (", ")"));
    }

    private static State state(String text) {
        try {
            return State.of(text);
        } catch (IllegalArgumentException unknown) {
            throw Problem.field("state", "unknown state", ALLOWED_STATES);
        }
    }

    private record Cursor(long createdAt, String id) {}

    private static String cursorAfter(SandboxRow row) {
        String text = Columns.micros(row.createdAt()) + ":" + row.id();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static Cursor parse(String cursor) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.US_ASCII);
            int colon = text.indexOf(':');
            return new Cursor(Long.parseLong(text.substring(0, colon)), new SandboxId(text.substring(colon + 1)).value());
        } catch (RuntimeException notOurs) {
            throw Problem.field("cursor", "not a cursor of this list", "the 'next' of the page before");
        }
    }
}
