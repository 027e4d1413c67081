// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.redoma.engine.Builds;
import dev.redoma.engine.Templates;
import dev.redoma.http.Route;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.StartBuild;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Builds of templates, of an image or of steps on a template.
final class BuildCalls {
    private static final int PAGE = 100;

    private final Endpoints on;
    private final Builds builds;
    private final Templates templates;
    private final Settings settings;
    private final Uploads uploads;
    private final Tickets tickets = new Tickets();

    BuildCalls(Endpoints on, Builds builds, Templates templates, Settings settings, Uploads uploads) {
        this.templates = templates;
        this.uploads = uploads;
        this.on = on;
        this.builds = builds;
        this.settings = settings;
    }

    public record Ordered(@Nullable String name, @Nullable String alias, @Nullable List<String> tags, @Nullable Integer cpuCount, @Nullable Long memoryMB, @Nullable Long minFreeDiskMb) {}

    public record Accepted(
            String templateID,
            String buildID,
            @JsonProperty("public") boolean everybodys,
            List<String> names,
            List<String> tags,
            List<String> aliases) {}

    public record Entry(Instant timestamp, String level, String message, @Nullable String step) {}

    public record Reason(String message, @Nullable String step, List<Entry> logEntries) {}

    public record Status(String templateID, String buildID, String status, List<String> logs, List<Entry> logEntries, @Nullable Reason reason) {}

    public record Logs(List<Entry> logs) {}

    List<Route> routes() {
        return List.of(
                on.post("/v3/templates", Scope.OPERATE, this::order),
                on.post("/v2/templates/{template}/builds/{build}", Scope.OPERATE, this::start),
                on.get("/templates/{template}/builds/{build}/status", Scope.READ, this::status),
                on.get("/templates/{template}/builds/{build}/logs", Scope.READ, this::logs));
    }

    private void order(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Ordered.class);
        var given = asked.name() == null ? asked.alias() : asked.name();
        if (given == null) {
            throw Problem.field("name", "is missing", "a name, or name:tag");
        }
        var reference = TemplateReference.parse("name", Names.reference(c.caller(), given));
        var name = reference.name();
        if (name == null || reference.digest() != null) {
            throw Problem.field("name", "is a digest", "a name, or name:tag");
        }
        var tags = new LinkedHashSet<String>();
        if (reference.tag() != null) {
            tags.add(reference.tag());
        }
        if (asked.tags() != null) {
            asked.tags().forEach(t -> tags.add(TemplateReference.tag("tags", Names.tag(t))));
        }
        fits("cpuCount", asked.cpuCount() == null ? null : asked.cpuCount().longValue(), settings.cores());
        fits("memoryMB", asked.memoryMB(), settings.memoryMb());
        fits("minFreeDiskMb", asked.minFreeDiskMb(), settings.diskMb());
        var told = tags.isEmpty() ? List.of(Names.DEFAULT_TAG) : tags.stream().map(Names::theirs).toList();
        tags.remove(TemplateReference.LATEST);
        var ticket = tickets.open(c.caller(), name, tags.isEmpty() ? null : TemplateReference.tags("tags", String.join(",", tags)));
        c.http().json(202, new Accepted(name, ticket.id(), true, List.of(name), told, List.of(name)));
    }

    /// Sandboxes have the server's default limits, whatever their template; less than these is what they have anyway.
    private static void fits(String field, @Nullable Long asked, long given) {
        if (asked != null && asked > given) {
            throw Egress.notOffered(field, "a template has no limits of its own; sandboxes have " + given + ".", "Ask the operator for a larger default, or send at most " + given + ".");
        }
    }

    private void start(Asked c) throws IOException {
        var ticket = tickets.find(c.caller(), c.parameter("template"), c.parameter("build"));
        if (ticket.build() != null) {
            throw Problem.field("build", "was started before", "a build that was ordered and not started");
        }
        var asked = Requests.body(c.http(), BuildSteps.Start.class);
        if (asked.preBootScript() != null && !asked.preBootScript().isBlank()) {
            throw Egress.notOffered("preBootScript", "nothing is run before a sandbox of a template starts.", "Make it a step, or send it as startCmd.");
        }
        var base = asked.template(c.caller());
        var steps = BuildSteps.of(c.caller(), asked, base == null ? null : templates.get(c.caller(), base).config());
        var login = RegistryLogins.of(asked.fromImageRegistry());
        var build = steps.files().isEmpty()
                ? builds.start(c.caller(), ticket.template(), new StartBuild(null, steps.recipe(), "recipe", null, ticket.tag(), asked.forced()), login)
                : uploads.joined(c.caller().tenant(), steps.recipe(), steps.files(), tar -> builds.start(c.caller(), ticket.template(),
                        new Builds.FilesBuild(Uploads.RECIPE, Map.of(), ticket.tag(), asked.forced(), true, login), tar));
        tickets.put(ticket.started(build.id(), steps.steps()));
        c.http().bytes(202, "application/json", new byte[0]);
    }

    private void status(Asked c) throws IOException, InterruptedException {
        var ticket = tickets.find(c.caller(), c.parameter("template"), c.parameter("build"));
        var query = c.http().query();
        long from = query.number("logsOffset", 0, 0, Integer.MAX_VALUE);
        long limit = query.number("limit", PAGE, 0, PAGE);
        if (ticket.build() == null) {
            c.http().json(200, new Status(ticket.template(), ticket.id(), "waiting", List.of(), List.of(), null));
            return;
        }
        // The state before the log: what is told as ended has its whole log.
        var build = builds.get(c.caller(), ticket.build());
        var entries = entries(c, ticket, ticket.build()).stream().skip(from).limit(limit).toList();
        c.http().json(200, new Status(ticket.template(), ticket.id(), state(build), List.of(), entries, reason(ticket, build)));
    }

    private void logs(Asked c) throws IOException, InterruptedException {
        var ticket = tickets.find(c.caller(), c.parameter("template"), c.parameter("build"));
        var query = c.http().query();
        boolean back = "backward".equals(query.get("direction"));
        long cursor = query.number("cursor", back ? Long.MAX_VALUE : 0, 0, Long.MAX_VALUE);
        var order = Comparator.comparing(Entry::timestamp);
        var entries = ticket.build() == null ? List.<Entry>of() : entries(c, ticket, ticket.build());
        c.http().json(200, new Logs(entries.stream().filter(e -> back ? e.timestamp().toEpochMilli() <= cursor : e.timestamp().toEpochMilli() >= cursor)
                .sorted(back ? order.reversed() : order).limit(query.number("limit", PAGE, 0, PAGE)).toList()));
    }

    private List<Entry> entries(Asked c, Tickets.Ticket ticket, String build) throws InterruptedException {
        return ticket.lines().upToNow(builds, c.caller(), build).stream().map(l -> new Entry(l.at(), "info", l.text(), null)).toList();
    }

    private static String state(Build build) {
        return switch (build.state()) {
            case "queued" -> "waiting";
            case "running" -> "building";
            case "ready" -> "ready";
            default -> "error";
        };
    }

    private static @Nullable Reason reason(Tickets.Ticket ticket, Build build) {
        var error = build.error();
        if (!state(build).equals("error")) {
            return null;
        }
        int at = build.step() - 1;
        var step = at >= 0 && at < ticket.steps().size() ? ticket.steps().get(at) : "finalize";
        return new Reason(error == null ? "The build was " + build.state() + "." : error.detail(), step, List.of());
    }
}
