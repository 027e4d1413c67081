// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.http.Json;
import dev.redoma.model.Caller;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.TemplateSummary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A client's build as a recipe of ours: its text (JSON, which YAML is a superset of), and which of the client's steps each of ours belongs to, and the
/// hashes of the files that they copy. The first step, `FROM`, is `base`.
record BuildSteps(String recipe, List<String> steps, List<String> files) {
    private static final String USER = "user";
    private static final String HOME = "/home/user";
    /// What the builder's default image is here.
    private static final String BASE_IMAGE = "e2bdev/base";

    /// By what the image has for it, and where it has nothing, by hand. A user that is there is taken as it is.
    private static final String WITH_USER = "id -u user >/dev/null 2>&1 || useradd -m -s /bin/bash user 2>/dev/null || adduser -D -s /bin/bash user 2>/dev/null "
            + "|| { ! grep -q '^[^:]*:[^:]*:1000:' /etc/passwd && echo 'user:x:1000:1000::/home/user:/bin/bash' >> /etc/passwd && echo 'user:x:1000:' >> /etc/group "
            + "&& mkdir -p /home/user && chown 1000:1000 /home/user; } && mkdir -p /etc/sudoers.d && echo 'user ALL=(ALL:ALL) NOPASSWD: ALL' > /etc/sudoers.d/user "
            + "&& chmod 0440 /etc/sudoers.d/user";

    public record Step(String type, @Nullable List<String> args, @Nullable String filesHash, @Nullable Boolean force) {}

    public record Start(
            @Nullable String fromImage,
            @Nullable String fromTemplate,
            @Nullable Map<String, @Nullable Object> fromImageRegistry,
            @Nullable Boolean force,
            @Nullable List<Step> steps,
            @Nullable String startCmd,
            @Nullable String readyCmd,
            @Nullable String preBootScript) {

        List<Step> all() {
            return steps == null ? List.of() : steps;
        }

        boolean forced() {
            return Boolean.TRUE.equals(force) || all().stream().anyMatch(s -> Boolean.TRUE.equals(s.force()));
        }

        /// The template that it stands on, if it is not an image.
        @Nullable String template(Caller caller) {
            if (fromTemplate != null) {
                return Names.reference(caller, fromTemplate);
            }
            return fromImage == null || isBase(fromImage) ? "base" : null;
        }
    }

    /// `base`: what the template that it stands on says; null of an image, which is given the user that these clients expect.
    static BuildSteps of(Caller caller, Start build, @Nullable TemplateSummary base) {
        var mapped = new ArrayList<String>(List.of("base"));
        var steps = new ArrayList<Map<String, Object>>();
        var files = new ArrayList<String>();
        var user = base == null ? USER : base.user() == null ? "root" : base.user();
        if (base == null) {
            add(steps, mapped, "base", "user", "root");
            add(steps, mapped, "base", "run", List.of("/bin/sh", "-c", WITH_USER));
            add(steps, mapped, "base", "user", USER);
        }
        if (user.equals(USER) && (base == null || base.cwd() == null)) {
            add(steps, mapped, "base", "workdir", HOME);
        }
        int at = 0;
        for (var step : build.all()) {
            var index = String.valueOf(++at);
            var args = step.args() == null ? List.<String>of() : step.args();
            switch (step.type()) {
                case "RUN" -> run(steps, mapped, index, args, user);
                case "USER" -> add(steps, mapped, index, "user", user = plain("steps.USER", one(step, args)));
                case "WORKDIR" -> add(steps, mapped, index, "workdir", plain("steps.WORKDIR", one(step, args)));
                case "ENV" -> add(steps, mapped, index, "env", pairs(args));
                case "COPY" -> {
                    if (step.filesHash() == null) {
                        throw Problem.field("steps.COPY", "has no filesHash", "the hash that its files were uploaded under");
                    }
                    files.add(step.filesHash());
                    add(steps, mapped, index, "copy", copy(args, user));
                }
                default -> throw Problem.field("steps", "'" + Names.shown(step.type()) + "' is no step", "RUN, COPY, USER, WORKDIR, ENV");
            }
        }
        var recipe = new LinkedHashMap<String, Object>();
        recipe.put("from", from(caller, build));
        recipe.put("steps", steps);
        start(recipe, build);
        return new BuildSteps(Json.text(recipe), List.copyOf(mapped), List.copyOf(files));
    }

    private static void run(List<Map<String, Object>> steps, List<String> mapped, String index, List<String> args, String user) {
        if (args.isEmpty()) {
            throw Problem.field("steps.RUN", "has no command", "one");
        }
        var other = args.size() > 1 && !args.get(1).isEmpty() && !args.get(1).equals(user) ? plain("steps.RUN", args.get(1)) : null;
        if (other != null) {
            add(steps, mapped, index, "user", other);
        }
        add(steps, mapped, index, "run", List.of("/bin/bash", "-l", "-c", args.getFirst()));
        if (other != null) {
            add(steps, mapped, index, "user", user);
        }
    }

    /// Source, target, owner (else who the step's user is) and mode.
    private static Map<String, Object> copy(List<String> args, String user) {
        if (args.size() < 2) {
            throw Problem.field("steps.COPY", args.size() + " arguments", "a source and a target");
        }
        var copy = new LinkedHashMap<String, Object>();
        copy.put("from", List.of(plain("steps.COPY", args.get(0))));
        copy.put("to", plain("steps.COPY", args.get(1)));
        var owner = args.size() > 2 && !args.get(2).isEmpty() ? plain("steps.COPY", args.get(2)) : user;
        copy.put("owner", owner.contains(":") ? owner : owner + ":" + owner);
        if (args.size() > 3 && !args.get(3).isEmpty()) {
            copy.put("mode", args.get(3));
        }
        return copy;
    }

    private static void add(List<Map<String, Object>> steps, List<String> mapped, String index, String key, Object value) {
        steps.add(Map.of(key, value));
        mapped.add(index);
    }

    private static String one(Step step, List<String> args) {
        if (args.isEmpty()) {
            throw Problem.field("steps." + step.type(), "has no argument", "one");
        }
        return args.getFirst();
    }

    private static Map<String, String> pairs(List<String> args) {
        if (args.size() % 2 != 0) {
            throw Problem.field("steps.ENV", args.size() + " arguments", "names and values in pairs");
        }
        var pairs = new LinkedHashMap<String, String>();
        for (int i = 0; i < args.size(); i += 2) {
            pairs.put(args.get(i), plain("steps.ENV", args.get(i + 1)));
        }
        return pairs;
    }

    /// Our recipes substitute what these clients mean as it stands.
    private static String plain(String field, String text) {
        if (text.indexOf('$') >= 0) {
            throw Egress.notOffered(field, "'$' in it would be substituted.", "Write the value itself.");
        }
        return text;
    }

    private static String from(Caller caller, Start build) {
        var template = build.template(caller);
        return template == null ? String.valueOf(build.fromImage()) : template;
    }

    private static boolean isBase(String image) {
        return image.equals(BASE_IMAGE) || image.startsWith(BASE_IMAGE + ":");
    }

    private static void start(Map<String, Object> recipe, Start build) {
        if (blank(build.startCmd())) {
            if (!blank(build.readyCmd())) {
                throw Egress.notOffered("readyCmd", "there is nothing to wait for without startCmd.", "Send both, or neither.");
            }
            return;
        }
        var start = new LinkedHashMap<String, Object>();
        start.put("command", List.of("/bin/bash", "-l", "-c", String.valueOf(build.startCmd())));
        if (!blank(build.readyCmd())) {
            start.put("ready", Map.of("command", List.of("/bin/bash", "-l", "-c", String.valueOf(build.readyCmd()))));
        }
        recipe.put("start", start);
    }

    private static boolean blank(@Nullable String text) {
        return text == null || text.isBlank();
    }
}
