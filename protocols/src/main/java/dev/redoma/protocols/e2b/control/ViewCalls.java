// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Execs;
import dev.redoma.engine.Policies;
import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Json;
import dev.redoma.http.Query;
import dev.redoma.http.Route;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Usage;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What is seen of a sandbox from outside: its use of the machine, what was run in it, and its network.
final class ViewCalls {
    /// Over so long the use of processors is measured.
    private static final long WINDOW_MS = 200;
    private static final int MOST = 100;
    private static final String LOGGER = "process";
    private static final int ENTRIES = 1000;

    private final Endpoints on;
    private final Sandboxes sandboxes;
    private final Execs execs;
    private final Policies policies;

    ViewCalls(Endpoints on, Sandboxes sandboxes, Execs execs, Policies policies) {
        this.on = on;
        this.sandboxes = sandboxes;
        this.execs = execs;
        this.policies = policies;
    }

    /// `memUsed` is without `memCache`, pages of files that are given up where memory is short.
    public record Metric(Instant timestamp, long timestampUnix, int cpuCount, double cpuUsedPct, long memUsed, long memTotal, long memCache, long diskUsed, long diskTotal) {}

    public record Metrics(Map<String, Metric> sandboxes) {}

    public record Line(Instant timestamp, String line) {}

    public record LogEntry(Instant timestamp, String level, String message, Map<String, String> fields) {}

    public record OldLogs(List<Line> logs, List<LogEntry> logEntries) {}

    public record Logs(List<LogEntry> logs) {}

    List<Route> routes() {
        return List.of(
                on.get("/sandboxes/{id}/metrics", Scope.READ, this::metrics),
                on.get("/sandboxes/metrics", Scope.READ, this::several),
                on.get("/sandboxes/{id}/logs", Scope.READ, this::oldLogs),
                on.get("/v2/sandboxes/{id}/logs", Scope.READ, this::logs),
                on.put("/sandboxes/{id}/network", Scope.CREATE, this::network));
    }

    private Sandbox living(Asked c, String id) {
        var sandbox = sandboxes.get(c.caller(), id);
        if (sandbox.state().equals("ended")) {
            throw Problem.of(Code.SANDBOX_ENDED, "The sandbox " + sandbox.id() + " has ended.", "Make a new one.").raise();
        }
        return sandbox;
    }

    /// As it is now; none where that is outside the times that are asked for.
    private void metrics(Asked c) throws IOException, InterruptedException {
        var sandbox = living(c, c.sandbox());
        var query = c.http().query();
        long now = Instant.now().getEpochSecond();
        boolean within = query.number("start", 0, 0, Long.MAX_VALUE) <= now && query.number("end", Long.MAX_VALUE, 0, Long.MAX_VALUE) >= now;
        c.http().json(200, within ? List.of(measured(c, List.of(sandbox)).get(sandbox.id())) : List.of());
    }

    private void several(Asked c) throws IOException, InterruptedException {
        var ids = c.http().query().all("sandbox_ids").stream().flatMap(t -> List.of(t.split(",")).stream()).filter(t -> !t.isEmpty()).map(Names::sandbox).toList();
        if (ids.isEmpty() || ids.size() > MOST) {
            throw Problem.field("sandbox_ids", ids.size() + " ids", "1 to " + MOST + ", joined by commas");
        }
        c.http().json(200, new Metrics(measured(c, ids.stream().map(id -> living(c, id)).toList())));
    }

    private Map<String, Metric> measured(Asked c, List<Sandbox> of) throws InterruptedException {
        var before = of.stream().map(s -> new Look(s, System.nanoTime(), sandboxes.usage(c.caller(), s.id()))).toList();
        Thread.sleep(WINDOW_MS);
        var metrics = new LinkedHashMap<String, Metric>();
        before.forEach(look -> metrics.put(look.sandbox().id(), metric(look, sandboxes.usage(c.caller(), look.sandbox().id()))));
        return metrics;
    }

    private record Look(Sandbox sandbox, long at, Usage usage) {}

    private static Metric metric(Look before, Usage u) {
        double ms = (System.nanoTime() - before.at()) / 1e6;
        var cpu = before.sandbox().limits().cpu();
        int cores = cpu == null ? 1 : (int) Math.max(1, Math.ceil(cpu));
        double used = Math.max(0, (u.cpuMs() - before.usage().cpuMs()) / ms * 100 / cores);
        var now = Instant.now();
        return new Metric(now, now.getEpochSecond(), cores, Math.round(used * 100) / 100.0, u.memoryBytes() - u.memoryCacheBytes(), u.memoryLimitBytes(), u.memoryCacheBytes(), u.diskBytes(), u.diskLimitBytes());
    }

    private void oldLogs(Asked c) throws IOException {
        var query = c.http().query();
        long start = query.number("start", 0, 0, Long.MAX_VALUE);
        int limit = (int) query.number("limit", ENTRIES, 0, ENTRIES);
        var entries = entries(c).stream().filter(e -> e.timestamp().toEpochMilli() >= start).limit(limit).toList();
        c.http().json(200, new OldLogs(entries.stream().map(ViewCalls::line).toList(), entries));
    }

    /// The command line of these clients takes a line for JSON.
    private static Line line(LogEntry e) {
        var line = new LinkedHashMap<String, Object>(e.fields());
        line.put("logger", LOGGER);
        line.put("level", e.level());
        line.put("message", e.message());
        return new Line(e.timestamp(), Json.text(line));
    }

    private void logs(Asked c) throws IOException {
        var query = c.http().query();
        boolean back = backward(query);
        long cursor = query.number("cursor", back ? Long.MAX_VALUE : 0, 0, Long.MAX_VALUE);
        var level = query.get("level");
        var search = query.get("search");
        var order = Comparator.comparing(LogEntry::timestamp);
        c.http().json(200, new Logs(entries(c).stream()
                .filter(e -> back ? e.timestamp().toEpochMilli() <= cursor : e.timestamp().toEpochMilli() >= cursor)
                .filter(e -> level == null || level.equals("debug") || level.equals(e.level()) || level.equals("info"))
                .filter(e -> search == null || e.message().contains(search))
                .sorted(back ? order.reversed() : order).limit(query.number("limit", ENTRIES, 0, ENTRIES)).toList()));
    }

    private static boolean backward(Query query) {
        return switch (query.get("direction")) {
            case null -> false;
            case "forward" -> false;
            case "backward" -> true;
            default -> throw Problem.field("direction", "is none", "forward or backward");
        };
    }

    /// Starts and ends of commands, oldest first; of the last thousand commands.
    private List<LogEntry> entries(Asked c) {
        var sandbox = sandboxes.get(c.caller(), c.sandbox());
        var entries = new ArrayList<LogEntry>();
        String cursor = null;
        do {
            var page = execs.list(c.caller(), sandbox.id(), cursor, MOST);
            page.items().forEach(e -> tell(entries, e));
            cursor = page.next();
        } while (cursor != null && entries.size() < 2 * ENTRIES);
        entries.sort(Comparator.comparing(LogEntry::timestamp));
        return entries;
    }

    private static void tell(List<LogEntry> entries, Exec e) {
        var fields = Map.of("exec", e.id(), "user", e.user());
        entries.add(new LogEntry(e.startedAt(), "info", "started: " + String.join(" ", e.argv()), fields));
        if (e.endedAt() != null) {
            boolean well = e.exitCode() != null && e.exitCode() == 0;
            entries.add(new LogEntry(e.endedAt(), well ? "info" : "warn", (e.exitCode() == null ? "lost" : "ended with " + e.exitCode()) + ": " + String.join(" ", e.argv()), fields));
        }
    }

    /// What is asked for replaces all rules, and is in force when this is answered.
    private void network(Asked c) throws IOException {
        var sandbox = living(c, c.sandbox());
        var network = Requests.body(c.http(), Requests.Network.class);
        network.unguarded();
        var wishes = Egress.wishes(null, network);
        policies.change(c.caller(), sandbox.id(), policies.written(c.caller(), wishes));
        c.http().nothing();
    }
}
