// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.FilePatch;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.WorkspaceStart;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a sandbox changed, while it lives and for a time after it ended. `scope`: `template` or `workspace`; null: that of the workspace where its start was kept. Thread-safe.
public final class Review {
    private final Api api;
    private final String id;

    Review(Api api, String id) {
        this.api = api;
        this.id = id;
    }

    /// Keeps how a directory is now, to tell its changes from; once for each sandbox.
    public WorkspaceStart start(String path) {
        return api.post(at("/workspace/start"), new WorkspaceStart(path), WorkspaceStart.class);
    }

    /// The server's word: its digest is computed anew, and a set that has another is refused (AnswerNotUnderstoodException).
    public ChangeSet changes(@Nullable String scope) {
        var set = api.send(api.request("GET", at("/changes").with("scope", scope), null).patience(api.patience().work()), ChangeSet.class);
        if (!ChangeSet.digest(set.scope(), set.root(), set.items()).equals(set.digest())) {
            throw new AnswerNotUnderstoodException("the change set is not what its digest says", null);
        }
        return set;
    }

    /// How its text files differ.
    public List<FilePatch> patches(@Nullable String scope) {
        Page<FilePatch> page = api.getList(at("/changes/patches").with("scope", scope), Page.class, FilePatch.class);
        return page.items();
    }

    /// The files of the change set that are still there, as an archive whose paths are those of the set.
    public void export(@Nullable String scope, ArchiveOptions options, OutputStream to) throws IOException {
        try (var answer = api.open(api.plain("GET", options.apply(at("/changes/archive")).with("scope", scope)))) {
            answer.body().transferTo(to);
        }
    }

    private Target at(String below) {
        return Target.of("/v1/sandboxes/", id, below);
    }
}
