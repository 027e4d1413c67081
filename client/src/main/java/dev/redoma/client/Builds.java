// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Body;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.StartBuild;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Builds of template versions; operators only. Thread-safe.
public final class Builds {
    private static final Set<String> ENDED = Set.of("ready", "failed", "cancelled");

    /// How long a server may be away, as when it is restarted.
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Api api;

    Builds(Api api) {
        this.api = api;
    }

    /// Of a recipe without files, or of an image.
    public Build start(String template, StartBuild what) {
        return api.post(of(template), what, Build.class);
    }

    /// Of a recipe with its files: `files` writes a tar that holds both. `recipe`: its path there (null: `recipe.yaml`, else `Dockerfile`).
    public Build start(String template, Body.Source files, @Nullable String recipe, Map<String, String> args, @Nullable String tag, boolean noCache) {
        var target = of(template).with("recipe", recipe).with("tag", tag).with("noCache", noCache ? true : null);
        for (var arg : args.entrySet()) {
            target = target.with("arg", arg.getKey() + "=" + arg.getValue());
        }
        return api.send(api.plain("POST", target).body(new Body.Stream("application/x-tar", files)).patience(api.patience().work()), Build.class);
    }

    public List<Build> list() {
        Page<Build> page = api.getList(Target.of("/v1/builds"), Page.class, Build.class);
        return page.items();
    }

    public Build get(String build) {
        return api.get(at(build), Build.class);
    }

    /// Ends it if it has not ended.
    public Build cancel(String build) {
        return api.delete(at(build), Build.class);
    }

    /// Copies the log as it grows, over broken connections, until the build has ended; the build as it is then.
    public Build follow(String build, OutputStream log) throws IOException {
        long offset = 0;
        long heard = System.nanoTime();
        while (true) {
            try (var answer = api.open(api.plain("GET", at(build, "/log").with("offset", offset)).patience(api.patience().work()))) {
                var buffer = new byte[16 * 1024];
                for (int n = read(answer.body(), buffer); n >= 0; n = read(answer.body(), buffer)) {
                    log.write(buffer, 0, n);
                    log.flush();
                    offset += n;
                }
                heard = System.nanoTime();
                var now = get(build);
                if (ENDED.contains(now.state())) {
                    return now;
                }
            } catch (ConnectionLostException | ServerUnreachableException broken) {
                if (System.nanoTime() - heard > PATIENCE.toNanos()) {
                    throw broken;
                }
            }
            pause();
        }
    }

    private int read(java.io.InputStream in, byte[] buffer) {
        try {
            return in.read(buffer);
        } catch (IOException broken) {
            throw api.lost(broken);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(200);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static Target of(String template) {
        return Target.of("/v1/templates/", template, "/builds");
    }

    private static Target at(String build) {
        return Target.of("/v1/builds/", build);
    }

    private static Target at(String build, String rest) {
        return Target.of("/v1/builds/", build, rest);
    }
}
