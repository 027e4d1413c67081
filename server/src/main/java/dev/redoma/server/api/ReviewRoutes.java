// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.engine.Reviews;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.ChangeSet;
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
                get(ONE + "/changes/archive", "getChangesArchive", "The files of it, as they are now").needs(Scope.READ).query("scope", "string", SCOPE)
                        .query("format", "string", "tar (default) or zip").queries("include", "string", "only what matches, such as reports/**")
                        .answersBytes(200, FileRoutes.TAR, FileRoutes.ZIP).by(this::archive));
    }

    private void start(Call call) throws IOException {
        var path = call.http().json(WorkspaceStart.class).path();
        call.http().json(201, reviews.markStart(call.caller(), call.sandbox(), path));
    }

    private void archive(Call call) throws IOException {
        var form = FileRoutes.form(call);
        reviews.changesOut(call.caller(), call.sandbox(), call.query().get("scope"), form, FileRoutes.archive(call, form, "changes"));
    }
}
