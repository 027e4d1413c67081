// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Body;
import dev.redoma.client.http.Request;
import dev.redoma.client.tar.IgnoreRules;
import dev.redoma.client.tar.Pack;
import dev.redoma.model.RegistryLogin;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.StartBuild;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
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
        return start(template, what, null);
    }

    /// The same with a login for the registry of the image that it pulls; the server keeps it until the build has ended.
    public Build start(String template, StartBuild what, @Nullable RegistryLogin login) {
        return api.send(with(api.request("POST", of(template), what), login), Build.class);
    }

    private static Request with(Request request, @Nullable RegistryLogin login) {
        return login == null ? request : request.header(RegistryLogin.HEADER, login.header());
    }

    /// Of a recipe with its files: `files` writes a tar that holds both.
    public Build start(String template, Body.Source files, FilesBuild how) {
        var target = of(template).with("recipe", how.recipe()).with("tag", how.tag()).with("noCache", how.noCache() ? true : null)
                .with("hidden", how.hidden() ? true : null);
        for (var arg : how.args().entrySet()) {
            target = target.with("arg", arg.getKey() + "=" + arg.getValue());
        }
        return api.send(with(api.plain("POST", target).body(new Body.Stream("application/x-tar", files)).patience(api.patience().work()), how.login()), Build.class);
    }

    /// `recipe`: its path in the tar (null: `recipe.yaml`, else `Dockerfile`); `hidden`: no step sees it; `login`: for the registry
    /// of the image that it stands on.
    public record FilesBuild(@Nullable String recipe, Map<String, String> args, @Nullable String tag, boolean noCache, boolean hidden, @Nullable RegistryLogin login) {}

    /// Of a folder with the recipe in it, less what its `.dockerignore` leaves out; links go as links. Returns what cannot be sent
    /// (sockets, FIFOs, devices), and the build.
    public Sent start(String template, Path folder, String recipe, Map<String, String> args, @Nullable String tag, boolean noCache, @Nullable RegistryLogin login,
            LongConsumer progress) throws IOException {
        var ignore = folder.resolve(".dockerignore");
        IgnoreRules rules;
        try {
            rules = Files.isRegularFile(ignore, LinkOption.NOFOLLOW_LINKS) ? IgnoreRules.parse(Files.readAllBytes(ignore)) : IgnoreRules.none();
        } catch (IllegalArgumentException flaw) {
            throw new IOException(ignore + ": " + flaw.getMessage());
        }
        var leftOut = new ArrayList<String>();
        var build = start(template, out -> leftOut.addAll(Pack.folder(folder, out, rules, recipe, progress)),
                new FilesBuild(recipe, args, tag, noCache, rules.leavesOut(recipe), login));
        return new Sent(build, leftOut);
    }

    /// A build begun, and what of its folder could not be sent.
    public record Sent(Build build, List<String> leftOut) {}

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
