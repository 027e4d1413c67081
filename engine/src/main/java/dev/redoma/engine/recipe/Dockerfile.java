// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import dev.redoma.engine.recipe.Expansion.Malformed;
import dev.redoma.engine.recipe.Instruction.Pair;
import dev.redoma.model.RedomaException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads the subset of Dockerfiles that is built here: one stage; everything else is refused by name and line. One use.
final class Dockerfile {
    private static final Pattern HEREDOC = Pattern.compile("(?s).*(^|\\s)\\d*<<-?[^<\\s].*");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final Flaws flaws;
    private final List<Step> before = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private @Nullable Step from;
    private char escape = '\\';

    Dockerfile(Flaws flaws) {
        this.flaws = flaws;
    }

    Recipe parse(String text) {
        var lines = new LogicalLines(flaws);
        var all = lines.of(text);
        escape = lines.escape();
        if (all.size() > Recipe.MOST_STEPS) {
            throw flaws.at(all.get(Recipe.MOST_STEPS).number(), "there are more than " + Recipe.MOST_STEPS + " instructions");
        }
        for (var line : all) {
            take(line);
        }
        if (from == null) {
            throw flaws.at(0, 0, "there is no FROM");
        }
        return new Recipe(before, from, steps, escape, null);
    }

    private void take(LogicalLines.Line line) {
        var parts = line.text().split("\\s+", 2);
        var keyword = parts[0].toUpperCase(Locale.ROOT);
        var rest = parts.length > 1 ? parts[1].strip() : "";
        Instruction what;
        try {
            what = instruction(line.number(), keyword, rest);
        } catch (Malformed e) {
            throw flaws.at(line.number(), keyword + ": " + e.why());
        }
        var step = new Step(line.number(), keyword + " " + rest, what);
        if (what instanceof Instruction.From) {
            if (from != null) {
                throw flaws.at(line.number(), "a second FROM: builds of several stages are not taken");
            }
            from = step;
        } else if (from != null) {
            steps.add(step);
        } else if (what instanceof Instruction.Arg) {
            before.add(step);
        } else {
            throw flaws.at(line.number(), keyword + " comes before FROM");
        }
    }

    private Instruction instruction(int line, String keyword, String rest) throws Malformed {
        if (rest.isEmpty()) {
            throw known(keyword) ? flaws.at(line, keyword + " needs something after it") : unknown(line, keyword);
        }
        return switch (keyword) {
            case "FROM" -> from(line, rest);
            case "RUN" -> run(line, rest);
            case "COPY" -> CopyLine.parse(flaws, line, rest, escape, false);
            case "ADD" -> CopyLine.parse(flaws, line, rest, escape, true);
            case "ENV" -> new Instruction.Env(pairs(rest, true));
            case "LABEL" -> new Instruction.Labels(pairs(rest, true));
            case "ARG" -> arg(line, rest);
            case "WORKDIR" -> new Instruction.Workdir(rest);
            case "USER" -> new Instruction.User(rest);
            case "EXPOSE" -> new Instruction.Expose(Expansion.words(rest, escape));
            case "STOPSIGNAL" -> new Instruction.StopSignal(rest);
            case "SHELL" -> new Instruction.Shell(JsonWords.parse(rest).filter(words -> !words.isEmpty())
                    .orElseThrow(() -> flaws.at(line, "SHELL takes a list, as in [\"/bin/sh\", \"-c\"]")));
            case "ENTRYPOINT" -> JsonWords.parse(rest).map(words -> new Instruction.Entrypoint(words, false))
                    .orElseGet(() -> new Instruction.Entrypoint(List.of(rest), true));
            case "CMD" -> JsonWords.parse(rest).map(words -> new Instruction.Cmd(words, false)).orElseGet(() -> new Instruction.Cmd(List.of(rest), true));
            default -> throw unknown(line, keyword);
        };
    }

    private static boolean known(String keyword) {
        return List.of("FROM", "RUN", "COPY", "ADD", "ENV", "LABEL", "ARG", "WORKDIR", "USER", "EXPOSE", "STOPSIGNAL", "SHELL", "ENTRYPOINT", "CMD").contains(keyword);
    }

    private RedomaException unknown(int line, String keyword) {
        return switch (keyword) {
            case "VOLUME", "HEALTHCHECK", "ONBUILD", "MAINTAINER" -> flaws.at(line, keyword + " is not taken" + instead(keyword));
            default -> flaws.at(line, "there is no instruction '" + Flaws.shown(keyword) + "'");
        };
    }

    private static String instead(String keyword) {
        return switch (keyword) {
            case "HEALTHCHECK" -> "; a recipe.yaml has start and ready";
            case "MAINTAINER" -> "; use LABEL";
            case "VOLUME" -> "; volumes are given when a sandbox is created";
            default -> "";
        };
    }

    private Instruction from(int line, String rest) throws Malformed {
        var words = Expansion.words(rest, escape);
        for (var word : words) {
            if (word.startsWith("--")) {
                throw flaws.at(line, "FROM: the flag " + Flaws.shown(word) + " is not taken");
            }
        }
        boolean named = words.size() == 3 && words.get(1).equalsIgnoreCase("as");
        if (words.size() != 1 && !named) {
            throw flaws.at(line, "FROM takes one template or image");
        }
        return new Instruction.From(words.getFirst());
    }

    private Instruction run(int line, String rest) {
        var command = rest;
        while (command.startsWith("--")) {
            var parts = command.split("\\s+", 2);
            if (!parts[0].equals("--network=none")) {
                throw flaws.at(line, "RUN: the flag " + Flaws.shown(parts[0]) + " is not taken"
                        + (parts[0].startsWith("--network") ? "; steps run without network (policy none)" : ""));
            }
            command = parts.length > 1 ? parts[1] : "";
        }
        if (command.isBlank()) {
            throw flaws.at(line, "RUN needs a command");
        }
        var text = command;
        return JsonWords.parse(command).map(words -> {
            if (words.isEmpty() || words.getFirst().isEmpty()) {
                throw flaws.at(line, "RUN names no program");
            }
            return new Instruction.Run(words, false);
        }).orElseGet(() -> {
            if (HEREDOC.matcher(text).matches()) {
                throw flaws.at(line, "RUN: here-documents (<<) are not taken; COPY a script and run it");
            }
            return new Instruction.Run(List.of(text), true);
        });
    }

    private Instruction arg(int line, String rest) throws Malformed {
        var words = Expansion.words(rest, escape);
        if (words.size() != 1) {
            throw flaws.at(line, "ARG takes one name, with or without =value");
        }
        int equals = words.getFirst().indexOf('=');
        var name = equals < 0 ? words.getFirst() : words.getFirst().substring(0, equals);
        if (!NAME.matcher(name).matches()) {
            throw flaws.at(line, "'" + Flaws.shown(name) + "' is no name of a variable");
        }
        return new Instruction.Arg(name, equals < 0 ? null : words.getFirst().substring(equals + 1));
    }

    /// `name=value …`, or the old `name the rest of the line`.
    private List<Pair> pairs(String rest, boolean old) throws Malformed {
        var words = Expansion.words(rest, escape);
        if (old && words.getFirst().indexOf('=') < 0) {
            var parts = rest.split("\\s+", 2);
            if (parts.length < 2) {
                throw new Malformed("'" + Flaws.shown(rest) + "' has no value");
            }
            return List.of(new Pair(parts[0], parts[1]));
        }
        var pairs = new ArrayList<Pair>();
        for (var word : words) {
            int equals = word.indexOf('=');
            if (equals <= 0) {
                throw new Malformed("'" + Flaws.shown(word) + "' is not of the form name=value");
            }
            pairs.add(new Pair(word.substring(0, equals), word.substring(equals + 1)));
        }
        return List.copyOf(pairs);
    }
}
