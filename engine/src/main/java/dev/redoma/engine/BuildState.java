// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.recipe.Expansion;
import dev.redoma.engine.recipe.Expansion.Malformed;
import dev.redoma.engine.recipe.Instruction;
import dev.redoma.engine.recipe.Instruction.Pair;
import dev.redoma.engine.recipe.Recipe;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a build has come to: everything but files. Words are expanded here, by the variables in force. One thread.
final class BuildState {
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}(-[0-9]{1,5})?(/(tcp|udp|sctp))?");
    private static final Pattern SIGNAL = Pattern.compile("[A-Z0-9+-]{1,16}");
    private static final int VARIABLES = 512;

    private final @Nullable Character escape;
    /// Values from outside, for the names that the recipe declares.
    private final Map<String, String> given;
    private final Map<String, @Nullable String> global = new HashMap<>();
    private final Map<String, String> args = new TreeMap<>();
    private final Map<String, String> env = new LinkedHashMap<>();
    private @Nullable String user;
    private @Nullable String cwd;
    private List<String> shell = List.of("/bin/sh", "-c");
    private @Nullable List<String> entrypoint;
    private @Nullable List<String> cmd;
    private boolean ownCmd;
    private final List<String> ports = new ArrayList<>();
    private final Map<String, String> labels = new LinkedHashMap<>();
    private @Nullable String stopSignal;
    private TemplateConfig.@Nullable Start start;

    BuildState(Recipe recipe, Map<String, String> given) {
        this.escape = recipe.escape();
        this.given = given;
    }

    /// Takes over what the base says.
    void base(TemplateConfig config) {
        env.putAll(config.environment());
        user = config.user();
        cwd = config.cwd();
        entrypoint = config.entrypoint();
        cmd = config.cmd();
        ports.addAll(config.exposedPorts() == null ? List.of() : config.exposedPorts());
        labels.putAll(config.labels() == null ? Map.of() : config.labels());
        stopSignal = config.stopSignal();
        start = config.start();
    }

    void start(Recipe.@Nullable StartRule rule) {
        if (rule != null) {
            var ready = rule.ready();
            start = new TemplateConfig.Start(rule.command(),
                    ready == null ? null : new TemplateConfig.Ready(ready.port(), ready.command(), ready.timeoutMs()));
        }
    }

    TemplateConfig config() {
        return new TemplateConfig(user, cwd, env.isEmpty() ? null : Map.copyOf(env), entrypoint, cmd, ports.isEmpty() ? null : List.copyOf(ports),
                labels.isEmpty() ? null : Map.copyOf(labels), stopSignal, start);
    }

    // --- words

    String expand(String word) {
        var variables = new HashMap<>(args);
        variables.putAll(env);
        return expand(word, variables);
    }

    private String expand(String word, Map<String, String> variables) {
        try {
            return Expansion.of(word, escape, variables);
        } catch (Malformed e) {
            throw refused(e.why());
        }
    }

    static dev.redoma.model.RedomaException refused(String why) {
        return Problem.of(Code.RECIPE_REFUSED, why + ".", "Correct the recipe; docs/templates.md says what is taken.").raise();
    }

    private static void check(String value, String what) {
        if (value.isEmpty() || value.chars().anyMatch(Character::isISOControl)) {
            throw refused(what + " is empty or holds a control character");
        }
    }

    // --- instructions that change no file

    /// Before `FROM`: known to it, and to a later `ARG` of the same name.
    void globalArg(Instruction.Arg arg) {
        String outside = given.get(arg.name());
        global.put(arg.name(), outside != null ? outside : arg.fallback() == null ? null : expand(arg.fallback(), set(global)));
    }

    String from(Instruction.From from) {
        String source = expand(from.source(), set(global));
        check(source, "FROM");
        return source;
    }

    private static Map<String, String> set(Map<String, @Nullable String> some) {
        var set = new HashMap<String, String>();
        some.forEach((name, value) -> {
            if (value != null) {
                set.put(name, value);
            }
        });
        return set;
    }

    void apply(Instruction.Arg arg) {
        String outside = given.get(arg.name());
        String value = outside != null ? outside : arg.fallback() != null ? expand(arg.fallback()) : global.get(arg.name());
        if (value != null) {
            args.put(arg.name(), value);
        }
    }

    void apply(Instruction.Env set) {
        var values = expanded(set.pairs());
        values.forEach((name, value) -> {
            if (name.isEmpty() || name.indexOf('=') >= 0 || name.chars().anyMatch(c -> c <= ' ')) {
                throw refused("'" + RequestRules.shown(name) + "' is no name of a variable");
            }
            env.put(name, value);
        });
        if (env.size() > VARIABLES) {
            throw refused("there are more than " + VARIABLES + " variables");
        }
    }

    private Map<String, String> expanded(List<Pair> pairs) {
        var values = new LinkedHashMap<String, String>();
        pairs.forEach(p -> values.put(expand(p.name()), expand(p.value())));
        return values;
    }

    void apply(Instruction.Labels set) {
        labels.putAll(expanded(set.pairs()));
    }

    /// The directory, absolute; commands run there from now on.
    String apply(Instruction.Workdir to) {
        String path = expand(to.path());
        check(path, "WORKDIR");
        cwd = BuildPaths.under(cwd == null ? "/" : cwd, path);
        return cwd;
    }

    void apply(Instruction.User to) {
        user = Words.user(expand(to.user()));
    }

    void apply(Instruction.Expose some) {
        for (String word : some.ports()) {
            for (String port : expand(word).strip().split("\\s+")) {
                if (!PORT.matcher(port).matches()) {
                    throw refused("EXPOSE: '" + RequestRules.shown(port) + "' is no port");
                }
                String whole = port.contains("/") ? port : port + "/tcp";
                if (!ports.contains(whole)) {
                    ports.add(whole);
                }
            }
        }
    }

    /// As Docker has it, a command that came with the base goes with the base's entry point.
    void apply(Instruction.Entrypoint to) {
        entrypoint = to.shell() ? shelled(to.command().getFirst()) : to.command();
        if (!ownCmd) {
            cmd = null;
        }
    }

    void apply(Instruction.Cmd to) {
        cmd = to.shell() ? shelled(to.command().getFirst()) : to.command();
        ownCmd = true;
    }

    void apply(Instruction.Shell to) {
        shell = to.command();
    }

    void apply(Instruction.StopSignal to) {
        String signal = expand(to.signal());
        if (!SIGNAL.matcher(signal).matches()) {
            throw refused("STOPSIGNAL: '" + RequestRules.shown(signal) + "' is no signal");
        }
        stopSignal = signal;
    }

    // --- what commands of the build get

    List<String> shelled(String line) {
        var words = new ArrayList<>(shell);
        words.add(line);
        return List.copyOf(words);
    }

    String workdir() {
        return cwd == null ? "/" : cwd;
    }

    String user() {
        return user == null ? "root" : user;
    }

    /// `ARG`s are variables of the steps, never of the template.
    Map<String, String> environment() {
        var all = new TreeMap<>(args);
        all.putAll(env);
        return all;
    }
}
