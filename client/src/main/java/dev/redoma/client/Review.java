// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.tar.Members;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.ApplyGrant;
import dev.redoma.model.wire.ApplyResult;
import dev.redoma.model.wire.Artifact;
import dev.redoma.model.wire.ArtifactCollection;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.CollectArtifacts;
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

    /// Asks to apply what was reviewed; nothing but the paths of the answer may be.
    public ApplyGrant apply(ApplyChanges what) {
        return api.send(api.request("POST", at("/apply"), what).patience(api.patience().work()), ApplyGrant.class);
    }

    /// Tells what came of it, for the record.
    public void applied(ApplyGrant grant, ApplyResult result) {
        api.send("POST", Target.of("/v1/sandboxes/", id, "/apply/", grant.id(), "/result"), result);
    }

    /// The files of a change set that are still there, one after another; those of one content come each for itself.
    public void files(@Nullable String scope, List<String> include, Members.Taker taker) throws IOException {
        var options = new ArchiveOptions("tar", include.isEmpty() ? List.of("**") : include);
        try (var answer = api.open(api.plain("GET", options.apply(at("/changes/archive")).with("scope", scope)))) {
            Members.files(new java.io.BufferedInputStream(answer.body(), 128 * 1024), taker);
        }
    }

    /// What is kept of its files.
    public List<Artifact> artifacts() {
        Page<Artifact> page = api.getList(at("/artifacts"), Page.class, Artifact.class);
        return page.items();
    }

    /// Copies files as they are now; patterns such as `reports/**` or `*.png`.
    public ArtifactCollection collect(List<String> patterns) {
        return api.send(api.request("POST", at("/artifacts"), new CollectArtifacts(patterns)).patience(api.patience().work()), ArtifactCollection.class);
    }

    /// The bytes of one, by its id or path.
    public void artifact(String which, OutputStream to) throws IOException {
        try (var answer = api.open(api.plain("GET", at("/artifacts/content").with("artifact", which)))) {
            answer.body().transferTo(to);
        }
    }

    /// All of them, or those that match, as one archive.
    public void exportArtifacts(ArchiveOptions options, OutputStream to) throws IOException {
        try (var answer = api.open(api.plain("GET", options.apply(at("/artifacts/archive"))))) {
            answer.body().transferTo(to);
        }
    }

    /// Removes now what is kept of an ended sandbox; operators only.
    public void forget() {
        api.send("DELETE", at("/review"), null);
    }

    private Target at(String below) {
        return Target.of("/v1/sandboxes/", id, below);
    }
}
