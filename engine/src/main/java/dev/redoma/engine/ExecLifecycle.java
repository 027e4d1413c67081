// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;

/// What the lifecycle tells the exec side.
interface ExecLifecycle {

    /// A sandbox is live again after a restart of the server: attach to its running execs at the spooled offsets.
    void recovered(Live live);

    /// All processes of a sandbox are gone (stopped, killed, crashed): running execs end as `lost` with this reason, their output
    /// complete as far as it was seen.
    void gone(SandboxId sandbox, String reason);

    /// The sandbox's record went: drop its spools.
    void forget(SandboxId sandbox);
}
