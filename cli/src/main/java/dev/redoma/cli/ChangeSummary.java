// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaApiException;
import dev.redoma.client.SandboxHandle;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a command changed: against the template, and in the workspace against what was uploaded. On stderr, so that stdout stays the command's.
final class ChangeSummary {
    private static final int MOST_LINES = 20;

    private final Io io;
    private final boolean json;

    ChangeSummary(Io io, boolean json) {
        this.io = io;
        this.json = json;
    }

    /// A sandbox that has ended has no files to look at any more; that is said, and no failure of the command.
    void print(SandboxHandle box, @Nullable Workspace work) {
        try {
            var changes = changes(box, work);
            if (json) {
                Events.line(io, "changes", Map.of("changes", changes));
            } else {
                text(box, work, changes);
            }
        } catch (RedomaApiException e) {
            io.err().println("redoma: no change summary: " + e.problem().detail());
        }
    }

    static Map<String, String> changes(SandboxHandle box, @Nullable Workspace work) {
        var changes = new TreeMap<String, String>();
        var own = work == null ? null : work.changes(box);
        for (var change : box.changes()) {
            boolean within = work != null && (change.path().equals(work.path()) || change.path().startsWith(work.path() + "/"));
            if (!within) {
                changes.put(change.path(), change.kind());
            }
        }
        if (own != null) {
            changes.putAll(own);
        }
        return changes;
    }

    private void text(SandboxHandle box, @Nullable Workspace work, Map<String, String> changes) {
        io.err().println("redoma: " + (changes.isEmpty() ? "no files changed" : changes.size() + (changes.size() == 1 ? " file changed" : " files changed")));
        changes.entrySet().stream().limit(MOST_LINES)
                .forEach(e -> io.err().println("  " + letter(e.getValue()) + " " + Text.safe(e.getKey())));
        if (changes.size() > MOST_LINES) {
            io.err().println("  … and " + (changes.size() - MOST_LINES) + " more");
        }
        if (work != null && !changes.isEmpty()) {
            io.err().println("redoma: see it with 'redoma diff " + box.id() + "', which tells its digest; bring it back with 'redoma apply " + box.id() + " --to DIR --digest DIGEST'");
        }
    }

    static char letter(String kind) {
        return switch (kind) {
            case "added" -> 'A';
            case "deleted" -> 'D';
            case "renamed" -> 'R';
            case "truncated" -> '!';
            case "mode" -> 'm';
            default -> 'M';
        };
    }
}
