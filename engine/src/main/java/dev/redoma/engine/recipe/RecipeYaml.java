// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import dev.redoma.engine.recipe.Recipe.ReadyRule;
import dev.redoma.engine.recipe.Recipe.StartRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/// Reads our own form (docs/templates.md): known keys once each, everything else is an error with its place. Aliases are off.
final class RecipeYaml {
    private static final Set<String> KEYS = Set.of("from", "args", "env", "user", "workdir", "steps", "labels", "expose", "entrypoint", "cmd", "stopSignal",
            "start", "policy");
    private static final Set<String> STEPS = Set.of("run", "copy", "env", "user", "workdir");
    private static final Set<String> COPY = Set.of("from", "to", "owner", "mode");
    private static final Pattern TIME = Pattern.compile("([0-9]{1,6})(ms|s|m)");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final long READY = 60_000;
    private static final long LONGEST = 3_600_000;

    private final Flaws flaws;
    private final YamlFields fields;
    private final List<Step> before = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();

    RecipeYaml(Flaws flaws) {
        this.flaws = flaws;
        this.fields = new YamlFields(flaws);
    }

    Recipe parse(String text) {
        var keys = fields.mapping(root(text), "the recipe", KEYS);
        var from = keys.get("from");
        if (from == null) {
            throw flaws.at(0, 0, "'from' is missing");
        }
        policy(keys.get("policy"));
        var source = fields.text(from, "from");
        at(keys, "args", (node, what) -> args(node));
        var first = new Step(YamlFields.line(from), "from " + source, new Instruction.From(source));
        before.forEach(steps::add);
        at(keys, "env", this::env);
        at(keys, "workdir", this::workdir);
        at(keys, "user", this::user);
        at(keys, "steps", (node, what) -> steps(node));
        last(keys);
        if (steps.size() > Recipe.MOST_STEPS) {
            throw flaws.at(0, 0, "there are more than " + Recipe.MOST_STEPS + " steps");
        }
        return new Recipe(before, first, steps, null, Optional.ofNullable(keys.get("start")).map(this::start).orElse(null));
    }

    private Node root(String text) {
        var settings = LoadSettings.builder().setLabel("recipe").setMaxAliasesForCollections(0).setCodePointLimit(Recipe.LARGEST).build();
        try {
            return new Compose(settings).composeString(text).orElseThrow(() -> flaws.at(0, 0, "it is empty"));
        } catch (MarkedYamlEngineException broken) {
            throw fields.at(broken.getProblemMark().orElse(null), broken.getProblem());
        } catch (YamlEngineException broken) {
            throw flaws.at(0, 0, Flaws.shown(String.valueOf(broken.getMessage())));
        }
    }

    private static void at(Map<String, Node> keys, String key, BiConsumer<Node, String> take) {
        var node = keys.get(key);
        if (node != null) {
            take.accept(node, key);
        }
    }

    private void policy(@Nullable Node node) {
        if (node != null && !fields.text(node, "policy").equals("none")) {
            throw fields.at(node, "policy: only 'none' is offered: steps run without network");
        }
    }

    private void add(Node at, String text, Instruction what) {
        steps.add(new Step(YamlFields.line(at), text, what));
    }

    private void args(Node node) {
        for (var pair : fields.pairs(node, "args")) {
            if (!NAME.matcher(pair.name()).matches()) {
                throw fields.at(node, "args: '" + Flaws.shown(pair.name()) + "' is no name of a variable");
            }
            before.add(new Step(YamlFields.line(node), "arg " + pair.name(), new Instruction.Arg(pair.name(), pair.value())));
        }
    }

    private void env(Node node, String what) {
        add(node, "env", new Instruction.Env(fields.pairs(node, what)));
    }

    private void workdir(Node node, String what) {
        var path = fields.text(node, what);
        add(node, "workdir " + path, new Instruction.Workdir(path));
    }

    private void user(Node node, String what) {
        var user = fields.text(node, what);
        add(node, "user " + user, new Instruction.User(user));
    }

    private void steps(Node node) {
        if (!(node instanceof SequenceNode list)) {
            throw fields.at(node, "steps must be a list");
        }
        list.getValue().forEach(this::step);
    }

    private void step(Node node) {
        var keys = fields.mapping(node, "a step", STEPS);
        if (keys.size() != 1) {
            throw fields.at(node, "a step has one key: " + String.join(", ", STEPS.stream().sorted().toList()));
        }
        at(keys, "run", (value, what) -> run(value));
        at(keys, "copy", (value, what) -> copy(value));
        at(keys, "env", this::env);
        at(keys, "user", this::user);
        at(keys, "workdir", this::workdir);
    }

    private void run(Node node) {
        boolean shell = node instanceof ScalarNode;
        var words = shell ? List.of(fields.text(node, "run")) : fields.command(node, "run");
        if (words.getFirst().isBlank()) {
            throw fields.at(node, "run needs a command");
        }
        add(node, "run " + String.join(" ", words), new Instruction.Run(words, shell));
    }

    private void copy(Node node) {
        var keys = fields.mapping(node, "copy", COPY);
        var from = keys.get("from");
        var to = keys.get("to");
        if (from == null || to == null) {
            throw fields.at(node, "copy needs from and to");
        }
        var sources = fields.oneOrMore(from, "copy.from");
        sources.forEach(s -> CopyLine.check(flaws, YamlFields.line(from), "copy", s));
        var target = fields.text(to, "copy.to");
        add(node, "copy " + String.join(" ", sources) + " " + target,
                new Instruction.Copy(sources, target, text(keys, "owner"), text(keys, "mode"), false));
    }

    private @Nullable String text(Map<String, Node> keys, String key) {
        var node = keys.get(key);
        return node == null ? null : fields.text(node, key);
    }

    /// What commands of the finished template get.
    private void last(Map<String, Node> keys) {
        at(keys, "labels", (node, what) -> add(node, "labels", new Instruction.Labels(fields.pairs(node, what))));
        at(keys, "expose", (node, what) -> add(node, "expose", new Instruction.Expose(fields.oneOrMore(node, what))));
        at(keys, "entrypoint", (node, what) -> add(node, "entrypoint", new Instruction.Entrypoint(fields.list(node, what), false)));
        at(keys, "cmd", (node, what) -> add(node, "cmd", new Instruction.Cmd(fields.list(node, what), false)));
        at(keys, "stopSignal", (node, what) -> add(node, "stopSignal", new Instruction.StopSignal(fields.text(node, what))));
    }

    private StartRule start(Node node) {
        var keys = fields.mapping(node, "start", Set.of("command", "ready"));
        var command = keys.get("command");
        if (command == null) {
            throw fields.at(node, "start needs a command");
        }
        return new StartRule(fields.command(command, "start.command"), Optional.ofNullable(keys.get("ready")).map(this::ready).orElse(null));
    }

    private ReadyRule ready(Node node) {
        var keys = fields.mapping(node, "start.ready", Set.of("port", "command", "timeout"));
        var port = keys.get("port");
        var command = keys.get("command");
        if ((port == null) == (command == null)) {
            throw fields.at(node, "start.ready needs a port or a command, one of them");
        }
        return new ReadyRule(port == null ? null : (Integer) (int) fields.number(port, "start.ready.port", 1, 65_535),
                command == null ? null : fields.command(command, "start.ready.command"),
                Optional.ofNullable(keys.get("timeout")).map(this::time).orElse(READY));
    }

    private long time(Node node) {
        var text = fields.text(node, "timeout");
        var found = TIME.matcher(text);
        if (found.matches()) {
            long ms = Long.parseLong(found.group(1)) * switch (found.group(2)) {
                case "ms" -> 1;
                case "s" -> 1_000;
                default -> 60_000;
            };
            if (ms >= 1 && ms <= LONGEST) {
                return ms;
            }
        }
        throw fields.at(node, "timeout is '" + Flaws.shown(text) + "', not a time such as 500ms, 30s or 2m, at most 60m");
    }
}
