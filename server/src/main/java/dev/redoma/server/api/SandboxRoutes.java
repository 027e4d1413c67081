// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Query;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.Redacted;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Usage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Life of sandboxes.
final class SandboxRoutes {
    private static final String ALL = "/v1/sandboxes";
    private static final String ONE = "/v1/sandboxes/{id}";

    private final Sandboxes sandboxes;
    private final Making making;

    SandboxRoutes(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
        this.making = new Making(sandboxes);
    }

    /// Body of `POST …/lifetime`.
    public record Lifetime(long lifetimeMs) {}

    /// Answer of the brakes.
    public record Ended(int ended) {}

    /// Answer of `GET …/system-log`.
    public record Lines(List<String> lines) {}

    /// Answer of `GET …/env`.
    public record Environment(Map<String, String> env) {}

    List<Operation> operations() {
        return List.of(
                post(ALL, "createSandbox", "Makes a sandbox; answers when it runs").needs(Scope.CREATE).header("Idempotency-Key", "same key and body: same sandbox")
                        .takes(CreateSandbox.class).answers(201, Sandbox.class).answers(200, Sandbox.class).by(this::create),
                get(ALL, "listSandboxes", "Sandboxes of the caller's tenant").needs(Scope.READ)
                        .queries("state", "string", "only in this state; none: all but ended").queries("label", "string", "only with this label, k=v")
                        .query("name", "string", "only of this name").query("template", "string", "only from the template or snapshot of this name")
                        .query("after", "string", "only created later than this RFC 3339 instant").query("order", "string", "desc (default) or asc, by creation")
                        .query("limit", "integer", "1 to 200").query("cursor", "string", "from the page before")
                        .answersPage(Sandbox.class).by(this::list),
                get(ONE, "getSandbox", "One sandbox, ended ones too").needs(Scope.READ).answers(200, Sandbox.class)
                        .by(c -> c.json(sandboxes.get(c.caller(), c.sandbox()))),
                delete(ONE, "killSandbox", "Ends a sandbox").needs(Scope.CREATE).answers(200, Sandbox.class)
                        .by(c -> c.json(sandboxes.kill(c.caller(), c.sandbox()))),
                delete(ALL, "killSandboxes", "Ends every sandbox of a tenant, or all").needs(Scope.OPERATE)
                        .query("tenant", "string", "of this tenant").query("all", "boolean", "of the installation").query("why", "string", "for the record").answers(200, Ended.class).by(this::killAll),
                verb("pause", "Freezes it", sandboxes::pause),
                verb("resume", "Thaws it", sandboxes::resume),
                verb("stop", "Ends its processes, keeps its disk", sandboxes::stop),
                verb("start", "Starts a stopped one", sandboxes::start),
                verb("reset", "Returns its files to the template", sandboxes::reset),
                post(ONE + "/quarantine", "quarantineSandbox", "Freezes it and keeps all evidence").needs(Scope.CREATE).query("why", "string", "for the record").answers(200, Sandbox.class)
                        .by(c -> c.json(sandboxes.quarantine(c.caller(), c.sandbox(), c.query().get("why")))),
                post(ONE + "/lifetime", "setLifetime", "It ends that long from now").needs(Scope.CREATE).takes(Lifetime.class).answers(200, Sandbox.class)
                        .by(this::lifetime),
                post(ONE + "/redact", "redactMore", "Masks more values in all that comes from now on").needs(Scope.CREATE).takes(Redact.class).answers(200, Redacted.class)
                        .by(c -> c.json(sandboxes.redact(c.caller(), c.sandbox(), c.http().json(Redact.class)))),
                get(ONE + "/env", "getEnv", "The environment that create gave all its commands").needs(Scope.EXEC).answers(200, Environment.class)
                        .by(c -> c.json(new Environment(sandboxes.env(c.caller(), c.sandbox())))),
                get(ONE + "/usage", "getUsage", "What it uses now").needs(Scope.READ).answers(200, Usage.class)
                        .by(c -> c.json(sandboxes.usage(c.caller(), c.sandbox()))),
                get(ONE + "/system-log", "getSystemLog", "The engine's and guest's own messages").needs(Scope.OPERATE).answers(200, Lines.class)
                        .by(c -> c.json(new Lines(sandboxes.systemLog(c.caller(), c.sandbox())))),
                post(ONE + "/fork", "forkSandbox", "A new sandbox from its disk as it is now").needs(Scope.CREATE)
                        .header("Idempotency-Key", "same key and body: same sandbox").takes(ForkSandbox.class).answers(201, Sandbox.class).by(this::fork));
    }

    private interface Verb {
        Sandbox of(dev.redoma.model.Caller caller, String sandbox);
    }

    private static Operation verb(String name, String about, Verb verb) {
        return post(ONE + "/" + name, name + "Sandbox", about).needs(Scope.CREATE).answers(200, Sandbox.class)
                .by(c -> c.json(verb.of(c.caller(), c.sandbox())));
    }

    private void create(Call call) throws IOException {
        var request = call.http().json(CreateSandbox.class);
        notOwn(request.labels());
        var key = Making.idempotencyKey(call.http());
        making.make(call.http(), call.caller(), key, () -> sandboxes.create(call.caller(), request, key), made -> answer(call, 200, made));
    }

    private void fork(Call call) throws IOException {
        var request = call.http().json(ForkSandbox.class);
        notOwn(request.labels());
        var key = Making.idempotencyKey(call.http());
        making.make(call.http(), call.caller(), key, () -> sandboxes.fork(call.caller(), call.sandbox(), request, key), made -> answer(call, 201, made));
    }

    /// `again`: the status where the sandbox was there before.
    private static void answer(Call call, int again, Sandbox made) throws IOException {
        call.http().set("Location", ALL + "/" + made.id()).json(Boolean.TRUE.equals(made.reused()) ? again : 201, made);
    }

    /// Labels of the server's own are given by protocol adapters alone.
    private static void notOwn(@Nullable Map<String, String> labels) {
        if (labels != null) {
            labels.keySet().stream().filter(name -> name.startsWith("redoma.")).findFirst().ifPresent(name -> {
                throw Problem.field("labels", "those that begin with 'redoma.' are the server's own", "another name");
            });
        }
    }

    private void list(Call call) throws IOException {
        var query = call.query();
        call.json(sandboxes.list(call.caller(),
                new Sandboxes.Query(Set.copyOf(query.all("state")), labels(query), query.get("name"), query.get("template"), after(query), oldestFirst(query),
                        query.get("cursor"), (int) query.number("limit", 50, 1, 200))));
    }

    private static @Nullable Instant after(Query query) {
        var text = query.get("after");
        try {
            return text == null ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException notOne) {
            throw Problem.field("after", "is no instant", "one of RFC 3339, such as 2026-01-31T12:00:00Z");
        }
    }

    private static boolean oldestFirst(Query query) {
        return switch (query.get("order")) {
            case null -> false;
            case "desc" -> false;
            case "asc" -> true;
            default -> throw Problem.field("order", "is no order", "asc or desc");
        };
    }

    static Map<String, String> labels(Query query) {
        var labels = new LinkedHashMap<String, String>();
        query.all("label").forEach(text -> labels.put(label(text)[0], label(text)[1]));
        return Map.copyOf(labels);
    }

    private static String[] label(String text) {
        var parts = text.split("=", 2);
        if (parts.length != 2 || parts[0].isEmpty()) {
            throw Problem.field("label", "'" + text + "' is not a label", "it as key=value");
        }
        return parts;
    }

    private void killAll(Call call) throws IOException {
        var tenant = call.query().get("tenant");
        if (call.query().flag("all", false) == (tenant != null)) {
            throw Problem.field("tenant", tenant == null ? "is missing" : "is there with all=true", "either tenant=T or all=true");
        }
        call.json(new Ended(sandboxes.killAll(call.caller(), tenant, call.query().get("why"))));
    }

    private void lifetime(Call call) throws IOException {
        var lifetime = call.http().json(Lifetime.class).lifetimeMs();
        call.json(sandboxes.setLifetime(call.caller(), call.sandbox(), Duration.ofMillis(lifetime)));
    }
}
