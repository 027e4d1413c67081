// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.ExecSpec;

/// What the lifecycle tells the exec side.
interface ExecLifecycle {
    /// Starts a command of ours in a sandbox that may still be on its way; its use is no activity.
    default ExecRun begin(Caller caller, Live live, ExecSpec spec) {
        throw new UnsupportedOperationException("no commands here");
    }


    /// A sandbox is live again after a restart of the server: attach to its running execs at the spooled offsets.
    void recovered(Live live);

    /// All processes of a sandbox are gone (stopped, killed, crashed): running execs end as `lost` with this reason, their output
    /// complete as far as it was seen.
    void gone(SandboxId sandbox, String reason);

    /// The sandbox's record went: drop its spools.
    void forget(SandboxId sandbox);
}
