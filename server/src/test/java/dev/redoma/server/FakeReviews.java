// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Reviews;
import dev.redoma.engine.Sandboxes;
import dev.redoma.model.Caller;
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
    public WorkspaceStart markStart(Caller caller, String sandbox, String path) {
        sandboxes.get(caller, sandbox);
        return new WorkspaceStart(path);
    }
}
