// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Reviews;
import dev.redoma.model.Scope;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.ApplyGrant;
import dev.redoma.model.wire.ApplyResult;
import dev.redoma.model.wire.Artifact;
import dev.redoma.model.wire.ArtifactCollection;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.CollectArtifacts;
import dev.redoma.model.wire.FilePatch;
import dev.redoma.model.wire.WorkspaceStart;
import java.io.IOException;
import java.util.List;

/// What sandboxes changed.
final class ReviewRoutes {
    private static final String ONE = "/v1/sandboxes/{id}";
    private static final String SCOPE = "template or workspace; where it is not said, that of the workspace if its start was kept";

    private final Reviews reviews;

    ReviewRoutes(Reviews reviews) {
        this.reviews = reviews;
    }

    List<Operation> operations() {
        return List.of(
                post(ONE + "/workspace/start", "startWorkspace", "Keeps how a directory is now, to tell its changes from; once").needs(Scope.EXEC).takes(WorkspaceStart.class)
                        .answers(201, WorkspaceStart.class).by(this::start),
                get(ONE + "/changes", "getChanges", "What it changed, also after it ended").needs(Scope.READ).query("scope", "string", SCOPE).answers(200, ChangeSet.class)
                        .by(c -> c.json(reviews.changes(c.caller(), c.sandbox(), c.query().get("scope")))),
                get(ONE + "/changes/patches", "getPatches", "How text files of it differ").needs(Scope.READ).query("scope", "string", SCOPE).answersItems(FilePatch.class)
                        .by(c -> c.json(new Items<>(reviews.patches(c.caller(), c.sandbox(), c.query().get("scope"))))),
                get(ONE + "/artifacts", "listArtifacts", "Files of it that are kept").needs(Scope.READ).answersItems(Artifact.class)
                        .by(c -> c.json(new Items<>(reviews.artifacts(c.caller(), c.sandbox())))),
                post(ONE + "/artifacts", "collectArtifacts", "Keeps files as they are now").needs(Scope.EXEC).takes(CollectArtifacts.class).answers(201, ArtifactCollection.class)
                        .by(c -> c.http().json(201, reviews.collect(c.caller(), c.sandbox(), c.http().json(CollectArtifacts.class).patterns()))),
                get(ONE + "/artifacts/content", "getArtifact", "The bytes of one").needs(Scope.READ).need("artifact", "string", "its id or path")
                        .answersBytes(200, "application/octet-stream").by(this::artifact),
                get(ONE + "/artifacts/archive", "getArtifactsArchive", "All that are kept, with safe names").needs(Scope.READ)
                        .query("format", "string", "tar (default) or zip").queries("include", "string", "only what matches, such as reports/**")
                        .answersBytes(200, FileRoutes.TAR, FileRoutes.ZIP).by(this::artifacts),
                post(ONE + "/apply", "applyChanges", "Asks to apply what was reviewed of its workspace").needs(Scope.READ).takes(ApplyChanges.class).answers(201, ApplyGrant.class)
                        .by(c -> c.http().json(201, reviews.apply(c.caller(), c.sandbox(), c.http().json(ApplyChanges.class)))),
                post(ONE + "/apply/{apply}/result", "tellApplied", "What came of applying it, for the record").needs(Scope.READ).takes(ApplyResult.class).answersNothing().by(this::applied),
                delete(ONE + "/review", "forgetReview", "Removes now what is kept of an ended one").needs(Scope.OPERATE).answersNothing().by(c -> {
                    reviews.forget(c.caller(), c.sandbox());
                    c.http().nothing();
                }),
                get(ONE + "/changes/archive", "getChangesArchive", "The files of it, as they are now").needs(Scope.READ).query("scope", "string", SCOPE)
                        .query("format", "string", "tar (default) or zip").queries("include", "string", "only what matches, such as reports/**")
                        .answersBytes(200, FileRoutes.TAR, FileRoutes.ZIP).by(this::archive));
    }

    private void start(Call call) throws IOException {
        var path = call.http().json(WorkspaceStart.class).path();
        call.http().json(201, reviews.markStart(call.caller(), call.sandbox(), path));
    }

    private void applied(Call call) throws IOException {
        reviews.applied(call.caller(), call.sandbox(), call.parameter("apply"), call.http().json(ApplyResult.class));
        call.http().nothing();
    }

    /// Never shown in a page: an attachment under a policy that lets nothing run.
    private void artifact(Call call) throws IOException {
        var which = call.query().get("artifact");
        if (which == null) {
            throw Problem.field("artifact", "is missing", "the id or path of one");
        }
        reviews.artifact(call.caller(), call.sandbox(), which, a -> {
            call.http().set("Content-Disposition", FileAnswer.attachment(FileRoutes.name(a.path()))).set("X-Content-Type-Options", "nosniff")
                    .set("Content-Security-Policy", "sandbox; default-src 'none'").set("X-Redoma-Digest", a.digest());
            return new GuardedOutput(call.http().stream(200, "application/octet-stream", a.size() == 0 ? -1 : a.size()), call.guard(), a.size() == 0 ? Long.MAX_VALUE : a.size());
        });
    }

    private void artifacts(Call call) throws IOException {
        var form = FileRoutes.form(call);
        reviews.artifactsOut(call.caller(), call.sandbox(), form, FileRoutes.archive(call, form, "artifacts"));
    }

    private void archive(Call call) throws IOException {
        var form = FileRoutes.form(call);
        reviews.changesOut(call.caller(), call.sandbox(), call.query().get("scope"), form, FileRoutes.archive(call, form, "changes"));
    }
}
