// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Query;
import dev.redoma.model.Caller;
import dev.redoma.model.Problem;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The query parameters of a list of sandboxes.
final class ListQuery {
    private static final int PAGE = 100;
    private static final Set<String> RUNNING = Set.of("running", "creating");
    private static final Set<String> PAUSED = Set.of("paused", "stopped", "lost");

    private ListQuery() {}

    static Sandboxes.Query of(Caller caller, Query q) {
        var template = q.get("template");
        if (template != null && template.indexOf(':') >= 0) {
            throw Problem.field("template", "names a tag", "a template's id or name without a tag");
        }
        return new Sandboxes.Query(states(q), metadata(q.get("metadata")), null, template == null ? null : Names.reference(caller, template),
                after(q.get("startedAfter")), ascending(q), token(q), (int) q.number("limit", PAGE, 1, PAGE));
    }

    /// Only running ones, and all of those that the metadata fits.
    static Sandboxes.Query old(Query q) {
        return new Sandboxes.Query(RUNNING, metadata(q.get("metadata")), null, null, 200);
    }

    private static Set<String> states(Query q) {
        var states = new LinkedHashSet<String>();
        q.all("state").stream().flatMap(s -> Arrays.stream(s.split(","))).filter(s -> !s.isEmpty()).forEach(s -> states.addAll(switch (s) {
            case "running" -> RUNNING;
            case "paused" -> PAUSED;
            default -> throw Problem.field("state", "'" + Names.shown(s) + "' is no state", "running, paused");
        }));
        return states;
    }

    private static boolean ascending(Query q) {
        return switch (q.get("order")) {
            case null -> false;
            case "desc" -> false;
            case "asc" -> true;
            default -> throw Problem.field("order", "is no order", "asc or desc");
        };
    }

    private static @Nullable String token(Query q) {
        var token = q.get("nextToken");
        return token == null || token.isEmpty() ? null : token;
    }

    private static @Nullable Instant after(@Nullable String text) {
        try {
            return text == null ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException notOne) {
            throw Problem.field("startedAfter", "is no time", "one of RFC 3339");
        }
    }

    /// It is encoded once more as a whole and once more in each part than a query is anyway.
    static Map<String, String> metadata(@Nullable String text) {
        var pairs = new LinkedHashMap<String, String>();
        if (text == null || text.isEmpty()) {
            return pairs;
        }
        for (var pair : decoded(text).split("&")) {
            var parts = pair.split("=", -1);
            if (parts.length != 2) {
                throw Problem.field("metadata", "is not of that form", "key=value pairs, joined by &, keys and values URL-encoded");
            }
            pairs.put(decoded(parts[0]), decoded(parts[1]));
        }
        return pairs;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            throw Problem.field("metadata", "has a broken escape", "URL-encoded keys and values");
        }
    }
}
