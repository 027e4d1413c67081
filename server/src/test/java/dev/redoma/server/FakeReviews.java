// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Reviews;
import dev.redoma.engine.Sandboxes;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.ApplyGrant;
import dev.redoma.model.wire.ApplyResult;
import dev.redoma.model.wire.Artifact;
import dev.redoma.model.wire.ArtifactCollection;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.FilePatch;
import dev.redoma.model.wire.WorkspaceStart;
import dev.redoma.pool.Outgoing;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Sandboxes that changed nothing.
record FakeReviews(Sandboxes sandboxes) implements Reviews {

    @Override
    public ChangeSet changes(Caller caller, String sandbox, @Nullable String scope) {
        return ChangeSet.of(sandboxes.get(caller, sandbox).id(), ChangeSet.TEMPLATE, "/", false, Instant.EPOCH, Map.of(), List.of());
    }

    @Override
    public List<FilePatch> patches(Caller caller, String sandbox, @Nullable String scope) {
        sandboxes.get(caller, sandbox);
        return List.of();
    }

    @Override
    public void changesOut(Caller caller, String sandbox, @Nullable String scope, Outgoing form, OutputStream to) {
        sandboxes.get(caller, sandbox);
    }

    @Override
    public List<Artifact> artifacts(Caller caller, String sandbox) {
        sandboxes.get(caller, sandbox);
        return List.of();
    }

    @Override
    public ArtifactCollection collect(Caller caller, String sandbox, List<String> patterns) {
        sandboxes.get(caller, sandbox);
        return new ArtifactCollection(List.of(), List.of(), 0);
    }

    @Override
    public void artifact(Caller caller, String sandbox, String which, ArtifactHeader header) {
        sandboxes.get(caller, sandbox);
        throw Problem.of(Code.FILE_NOT_FOUND, "No artifact.", "List them.").raise();
    }

    @Override
    public void artifactsOut(Caller caller, String sandbox, Outgoing form, OutputStream to) {
        sandboxes.get(caller, sandbox);
    }

    @Override
    public ApplyGrant apply(Caller caller, String sandbox, ApplyChanges what) {
        sandboxes.get(caller, sandbox);
        return new ApplyGrant("ap" + "0".repeat(18), what.digest(), List.of());
    }

    @Override
    public void applied(Caller caller, String sandbox, String apply, ApplyResult result) {
        sandboxes.get(caller, sandbox);
    }

    @Override
    public void forget(Caller caller, String sandbox) {
        sandboxes.get(caller, sandbox);
    }

    @Override
    public WorkspaceStart markStart(Caller caller, String sandbox, String path) {
        sandboxes.get(caller, sandbox);
        return new WorkspaceStart(path);
    }
}
