// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaApiException;
import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.FileInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A folder of ours in a sandbox: `workspace` in the user's home, and how it looked when it arrived (null: it has too many files to be looked at).
record Workspace(String path, @Nullable Map<String, FileInfo> before) {
    static final String NAME = "workspace";
    private static final int DEPTH = 32;
    /// The server lists no more than this.
    private static final int MOST = 10_000;

    static Workspace upload(SandboxHandle box, Path local, boolean gitignore, Io io) throws IOException {
        var path = box.files().mkdir(NAME, null).path();
        try (var progress = Progress.onTerminal(io, "upload")) {
            var leftOut = box.files().folders().upload(local, path, gitignore, done -> progress.at(done, -1));
            leftOut.forEach(name -> io.err().println("redoma: not uploaded, it is no file, folder or link: " + Text.safe(name)));
        }
        return new Workspace(path, look(box, path));
    }

    /// What the server had cloned.
    static Workspace cloned(SandboxHandle box) {
        var made = box.state().workspace();
        var path = made == null ? NAME : made.path();
        return new Workspace(path, look(box, path));
    }

    private static @Nullable Map<String, FileInfo> look(SandboxHandle box, String path) {
        var all = new HashMap<String, FileInfo>();
        try {
            for (var file : box.files().list(path, DEPTH)) {
                all.put(file.path(), file);
            }
            return all.size() < MOST ? all : null;
        } catch (RedomaApiException tooMany) {
            return null;
        }
    }

    /// Path to one of `added changed deleted`; null when it cannot be told.
    @Nullable Map<String, String> changes(SandboxHandle box) {
        var after = look(box, path);
        return before == null || after == null ? null : compare(before, after);
    }

    private static Map<String, String> compare(Map<String, FileInfo> before, Map<String, FileInfo> after) {
        var changes = new TreeMap<String, String>();
        after.forEach((name, file) -> {
            var old = before.get(name);
            if (old == null) {
                changes.put(name, "added");
            } else if (differs(old, file)) {
                changes.put(name, "changed");
            }
        });
        before.keySet().stream().filter(name -> !after.containsKey(name)).forEach(name -> changes.put(name, "deleted"));
        return changes;
    }

    /// A folder's own time changes with each entry; only its mode counts.
    private static boolean differs(FileInfo a, FileInfo b) {
        boolean folders = a.type().equals("directory") && b.type().equals("directory");
        return !a.type().equals(b.type()) || !a.mode().equals(b.mode())
                || !folders && (a.size() != b.size() || !a.modifiedAt().equals(b.modifiedAt()));
    }
}
