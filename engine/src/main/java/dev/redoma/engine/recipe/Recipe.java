// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A recipe, read and checked: `ARG`s before `FROM`, one `FROM`, then the steps. `escape` is null where quotes and escapes mean nothing
/// (our own form).
public record Recipe(List<Step> before, Step from, List<Step> steps, @Nullable Character escape, @Nullable StartRule start) {
    /// Most bytes of the text, and most steps.
    public static final int LARGEST = 1 << 20;
    public static final int MOST_STEPS = 500;

    public Recipe {
        before = List.copyOf(before);
        steps = List.copyOf(steps);
    }

    /// What starts in every sandbox made of the template, and how it is seen to be ready.
    public record StartRule(List<String> command, @Nullable ReadyRule ready) {}

    /// A port that answers, or a command that ends with 0; within that time.
    public record ReadyRule(@Nullable Integer port, @Nullable List<String> command, long timeoutMs) {}

    /// `name` decides the form: ours if it ends in `.yaml` or `.yml`, else a Dockerfile.
    public static Recipe parse(String name, byte[] text) {
        var flaws = new Flaws(name);
        if (text.length > LARGEST) {
            throw flaws.at(0, 0, "it has " + text.length + " bytes, more than the " + LARGEST + " that are taken");
        }
        var decoded = flaws.utf8(text);
        return isYaml(name) ? new RecipeYaml(flaws).parse(decoded) : new Dockerfile(flaws).parse(decoded);
    }

    public static boolean isYaml(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".yaml") || lower.endsWith(".yml");
    }

    public static Recipe parse(String name, String text) {
        return parse(name, text.getBytes(StandardCharsets.UTF_8));
    }

    /// How many steps there are to tell of: `FROM` is the first.
    public int count() {
        return 1 + steps.size();
    }
}
