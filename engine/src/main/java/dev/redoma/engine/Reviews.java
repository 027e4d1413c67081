// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.FilePatch;
import dev.redoma.model.wire.WorkspaceStart;
import dev.redoma.pool.Outgoing;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a sandbox changed, while it lives and for a time after it ended, however it ended. `scope`: `template`, or `workspace` for what differs from the start of its workspace; null: that where there is one.
public interface Reviews {

    ChangeSet changes(Caller caller, String sandbox, @Nullable String scope);

    /// How its text files differ.
    List<FilePatch> patches(Caller caller, String sandbox, @Nullable String scope);

    /// The files of the change set that are still there, as an archive; paths as in the set. Also of one that is stopped or has ended.
    void changesOut(Caller caller, String sandbox, @Nullable String scope, Outgoing form, OutputStream to) throws IOException;

    /// How a directory is now becomes what the workspace's change set is told from; once for each sandbox.
    WorkspaceStart markStart(Caller caller, String sandbox, String path);
}
