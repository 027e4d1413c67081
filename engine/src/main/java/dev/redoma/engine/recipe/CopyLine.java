// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.recipe;

import dev.redoma.engine.recipe.Expansion.Malformed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The words of `COPY` and `ADD`.
final class CopyLine {
    private static final Pattern ELSEWHERE = Pattern.compile("(?i)(https?|ftp|git|ssh)://.*|git@.*");

    private CopyLine() {}

    static Instruction parse(Flaws flaws, int line, String rest, char escape, boolean add) throws Malformed {
        var keyword = add ? "ADD" : "COPY";
        @Nullable String owner = null;
        @Nullable String mode = null;
        var left = rest;
        while (left.startsWith("--")) {
            var parts = left.split("\\s+", 2);
            var flag = parts[0];
            if (flag.startsWith("--chown=")) {
                owner = flag.substring(8);
            } else if (flag.startsWith("--chmod=")) {
                mode = flag.substring(8);
            } else {
                throw flaws.at(line, keyword + ": the flag " + Flaws.shown(flag) + " is not taken"
                        + (flag.startsWith("--from") ? "; builds have one stage" : ""));
            }
            left = parts.length > 1 ? parts[1] : "";
        }
        Optional<List<String>> json = JsonWords.parse(left);
        var words = json.isPresent() ? json.get() : Expansion.words(left, escape);
        if (words.size() < 2) {
            throw flaws.at(line, keyword + " needs a source and a target");
        }
        var sources = new ArrayList<>(words.subList(0, words.size() - 1));
        for (var source : sources) {
            check(flaws, line, keyword, source);
        }
        return new Instruction.Copy(List.copyOf(sources), words.getLast(), owner, mode, add);
    }

    static void check(Flaws flaws, int line, String keyword, String source) {
        if (source.startsWith("<<")) {
            throw flaws.at(line, keyword + ": here-documents (<<) are not taken; put the file beside the recipe");
        }
        if (ELSEWHERE.matcher(source).matches()) {
            throw flaws.at(line, keyword + ": " + Flaws.shown(source) + " is not beside the recipe; builds have no network (policy none)");
        }
    }
}
