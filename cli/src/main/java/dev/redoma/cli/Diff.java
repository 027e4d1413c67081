// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.FilePatch;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Shows what a sandbox changed, also after it ended.
@Command(name = "diff", description = {
    "Show what a sandbox changed, in its workspace or against its template: A added, M changed, D deleted, R renamed, m mode or owner only, ! cut by a bound.",
    "What acts by itself when a human opens it is flagged in brackets, and why is told below. Also of a sandbox that has ended, until what is kept of it goes."})
final class Diff extends Verb {
    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    @Option(names = "--scope", paramLabel = "SCOPE", description = "template, or workspace: since its start (default where that was kept).")
    @Nullable String scope;

    @Option(names = {"-p", "--patch"}, description = "With the text that differs.")
    boolean patch;

    Diff(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var review = SandboxName.in(client, sandbox).review();
        var set = review.changes(scope);
        Map<String, FilePatch> patches = patch ? review.patches(set.scope()).stream().collect(Collectors.toMap(FilePatch::path, p -> p, (a, b) -> a)) : Map.of();
        if (json) {
            print(patch ? Map.of("changes", set, "patches", patches.values()) : set);
        } else {
            text(set, patches);
        }
        return Exit.OK;
    }

    private void text(ChangeSet set, Map<String, FilePatch> patches) {
        set.items().forEach(change -> {
            io.line(line(change));
            var its = patches.get(change.path());
            if (its != null) {
                io.line(its.patch() == null ? "    (" + its.why() + ")" : Text.lines(its.patch(), "    "));
            }
        });
        set.flags().forEach((flag, why) -> io.line("[" + flag + "] " + why));
        // Beside the list, so that the list can be piped; it is what 'apply' is given.
        io.err().println("redoma: " + set.digest() + (set.complete() ? "" : " (not whole: a bound cut what is marked, or was not read)"));
    }

    private static String line(Change change) {
        var target = change.target();
        return ChangeSummary.letter(change.kind()) + " " + (change.from() == null ? "" : Text.safe(change.from()) + " => ") + Text.safe(change.path().isEmpty() ? "(everything after this)" : change.path())
                + (target == null ? "" : " -> " + Text.safe(target)) + special(change) + (change.flags().isEmpty() ? "" : "  [" + String.join(", ", change.flags()) + "]");
    }

    private static String special(Change change) {
        return switch (change.type()) {
            case "fifo", "socket", "char", "block" -> "  (" + change.type() + ")";
            case "directory" -> "/";
            default -> "";
        };
    }
}
