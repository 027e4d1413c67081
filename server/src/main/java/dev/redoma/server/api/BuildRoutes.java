// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Builds;
import dev.redoma.model.Problem;
import dev.redoma.model.RegistryLogin;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.StartBuild;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Builds of template versions.
final class BuildRoutes {
    private static final String TAR = "application/x-tar";
    private static final Duration STEP = Duration.ofSeconds(1);

    private final Builds builds;
    private final long largest;

    BuildRoutes(Builds builds, long largest) {
        this.builds = builds;
        this.largest = largest;
    }

    List<Operation> operations() {
        return List.of(
                post("/v1/templates/{name}/builds", "startBuild", "Builds a version: of a recipe (JSON), or of a recipe with its files (a tar; plain, gzip or zstd)")
                        .needs(Scope.OPERATE).query("recipe", "string", "with a tar: path of the recipe in it (default recipe.yaml, else Dockerfile)")
                        .query("tag", "string", "with a tar: a tag of the version beside latest, or several with commas between").query("noCache", "boolean", "with a tar: do every step anew")
                        .query("hidden", "boolean", "with a tar: no step sees the recipe itself").queries("arg", "string", "with a tar: NAME=VALUE of an ARG")
                        .header(RegistryLogin.HEADER, "Basic: name and password for the registry of the image that it pulls; not kept").takes(StartBuild.class).takes(TAR).answers(202, Build.class).by(this::start),
                get("/v1/builds", "listBuilds", "The newest builds").needs(Scope.READ).answersItems(Build.class)
                        .by(c -> c.json(new Items<>(builds.list(c.caller())))),
                get("/v1/builds/{build}", "getBuild", "One build").needs(Scope.READ).answers(200, Build.class)
                        .by(c -> c.json(builds.get(c.caller(), c.parameter("build")))),
                get("/v1/builds/{build}/log", "getBuildLog", "Its log from a byte on, until it has ended").needs(Scope.READ)
                        .query("offset", "integer", "first byte").answersBytes(200, "text/plain; charset=utf-8").by(this::log),
                delete("/v1/builds/{build}", "cancelBuild", "Ends it if it has not ended").needs(Scope.OPERATE).answers(200, Build.class)
                        .by(c -> c.json(builds.cancel(c.caller(), c.parameter("build")))));
    }

    private void start(Call call) throws IOException {
        var media = call.http().header("Content-Type");
        if (media == null || !media.startsWith(TAR)) {
            call.http().json(202, builds.start(call.caller(), call.parameter("name"), call.http().json(StartBuild.class), RegistryLogin.parse(call.http().header(RegistryLogin.HEADER))));
            return;
        }
        var query = call.query();
        var what = new Builds.FilesBuild(query.get("recipe"), arguments(query.all("arg")), query.get("tag"), query.flag("noCache", false),
                query.flag("hidden", false), RegistryLogin.parse(call.http().header(RegistryLogin.HEADER)));
        try (var body = new GuardedInput(call.http().body(largest), call.guard())) {
            call.http().json(202, builds.start(call.caller(), call.parameter("name"), what, body));
        }
    }

    private static Map<String, String> arguments(List<String> given) {
        var arguments = new LinkedHashMap<String, String>();
        for (var one : given) {
            int equals = one.indexOf('=');
            if (equals <= 0) {
                throw Problem.field("arg", "is not of that form", "NAME=VALUE");
            }
            arguments.put(one.substring(0, equals), one.substring(equals + 1));
        }
        return arguments;
    }

    /// A client that leaves ends the stream, never the build.
    private void log(Call call) throws IOException, InterruptedException {
        try (var log = builds.log(call.caller(), call.parameter("build"), call.query().number("offset", 0, 0, Long.MAX_VALUE))) {
            var out = call.http().stream(200, "text/plain; charset=utf-8", -1);
            out.flush();
            for (var part = log.next(STEP); part != null; part = log.next(STEP)) {
                call.guard().check();
                out.write(part);
                out.flush();
            }
        }
    }
}
