// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Patterns;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.ExecSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// What humans are shown of a command that somebody wants to run, and what an approval of it is bound to.
final class ExecShown {
    private static final Pattern MASKED_LINES = Pattern.compile("\\*[ \t]*[\r\n]\\s*+\\*");

    private ExecShown() {}

    /// Values of variables are bound, and not shown; nor is what is masked, whose names are told, for somebody may have registered what they would rather not show. Of files that the words name the digest is shown, or why there is none.
    static Map<String, Object> of(ExecOrder order, List<ScriptDigests.Digest> files, Patterns patterns) {
        ExecSpec spec = order.spec();
        var hits = new Hits();
        var shown = new LinkedHashMap<String, Object>();
        shown.put("argv", Visible.of(spec.argv().stream().map(word -> patterns.mask(word, hits)).toList()));
        shown.put("cwd", order.cwd().isEmpty() ? "~" : Visible.of(patterns.mask(order.cwd(), hits)));
        shown.put("user", Visible.of(order.user()));
        shown.put("envNames", order.env().keySet().stream().sorted().map(Visible::of).toList());
        shown.put("stdin", order.stdin());
        shown.put("tty", spec.tty() != null);
        if (spec.argv().stream().anyMatch(word -> hidesLines(word, patterns))) {
            throw Problem.of(Code.POLICY_REFUSED, "This needs approval, and more than one line of it would be masked: nobody could judge what runs.", "Hand over keys in a variable, in a file or on the standard input.")
                    .with("reason", "masked-lines").raise();
        }
        if (!files.isEmpty()) {
            shown.put("files", files.stream().map(f -> Visible.of(patterns.mask(f.word(), hits)) + ": " + f.sha256().orElse("no digest, " + f.why())).toList());
        }
        if (!hits.counts().isEmpty()) {
            shown.put("masked", hits.counts().keySet().stream().map(mark -> Visible.of(mark.name())).distinct().sorted().toList());
        }
        return shown;
    }

    /// Lines are what shells run one by one; stars over a line's end may stand for anything.
    private static boolean hidesLines(String word, Patterns patterns) {
        return MASKED_LINES.matcher(patterns.mask(word, new Hits())).results().count() > MASKED_LINES.matcher(word).results().count();
    }

    static List<String> exact(ExecOrder order, List<ScriptDigests.Digest> files) {
        var exact = new ArrayList<String>();
        exact.add(String.valueOf(order.spec().argv().size()));
        exact.addAll(order.spec().argv());
        exact.addAll(List.of(order.cwd(), order.user(), String.valueOf(order.stdin()), String.valueOf(order.spec().tty() != null), String.valueOf(files.size())));
        files.forEach(f -> exact.addAll(List.of(f.word(), f.sha256().orElse("-" + f.why()))));
        new TreeMap<>(order.env()).forEach((name, value) -> exact.addAll(List.of(name, value)));
        return exact;
    }
}
