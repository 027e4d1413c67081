// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.ApplyGrant;
import dev.redoma.model.wire.ApplyResult;
import dev.redoma.model.wire.Artifact;
import dev.redoma.model.wire.ArtifactCollection;
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

    List<Artifact> artifacts(Caller caller, String sandbox);

    /// Copies files of the sandbox as they are now; patterns are of the workspace whose start was kept, else match anywhere.
    ArtifactCollection collect(Caller caller, String sandbox, List<String> patterns);

    /// One by its id or path; `header` is told of it before the first byte.
    void artifact(Caller caller, String sandbox, String which, ArtifactHeader header) throws IOException;

    /// All of them (or those that match) in one archive, with names that are safe elsewhere.
    void artifactsOut(Caller caller, String sandbox, Outgoing form, OutputStream to) throws IOException;

    /// Where an artifact's bytes go.
    interface ArtifactHeader {
        OutputStream begin(Artifact artifact) throws IOException;
    }

    /// Asks to apply what was reviewed of the workspace. CHANGES_MOVED where it is another now.
    ApplyGrant apply(Caller caller, String sandbox, ApplyChanges what);

    /// What came of it, by the client's word.
    void applied(Caller caller, String sandbox, String apply, ApplyResult result);

    /// Removes now what is kept of an ended one: its files, change sets and artifacts; operators only, for whoever is reviewed must not.
    void forget(Caller caller, String sandbox);

    /// How a directory is now becomes what the workspace's change set is told from; once for each sandbox.
    WorkspaceStart markStart(Caller caller, String sandbox, String path);
}
