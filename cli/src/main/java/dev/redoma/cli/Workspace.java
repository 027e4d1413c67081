// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxHandle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/// A folder of ours in a sandbox: `workspace` in the user's home. The server keeps how it was when it arrived.
record Workspace(String path) {
    static final String NAME = "workspace";

    static Workspace upload(SandboxHandle box, Path local, boolean gitignore, Io io) throws IOException {
        var path = box.files().mkdir(NAME, null).path();
        try (var progress = Progress.onTerminal(io, "upload")) {
            var leftOut = box.files().folders().upload(local, path, gitignore, done -> progress.at(done, -1));
            leftOut.forEach(name -> io.err().println("redoma: not uploaded, it is no file, folder or link: " + Text.safe(name)));
        }
        return new Workspace(box.review().start(path).path());
    }

    /// What the server had cloned.
    static Workspace cloned(SandboxHandle box) {
        var made = box.state().workspace();
        return new Workspace(made == null ? NAME : made.path());
    }

    /// Path to kind, of what differs from its start.
    Map<String, String> changes(SandboxHandle box) {
        var changes = new TreeMap<String, String>();
        box.review().changes("workspace").items().forEach(c -> changes.put(path + "/" + c.path(), c.kind()));
        return changes;
    }
}
