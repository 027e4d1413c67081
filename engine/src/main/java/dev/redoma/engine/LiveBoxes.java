// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.SandboxId;
import java.util.Optional;

/// Finds live sandboxes for callers. Implemented by the lifecycle.
interface LiveBoxes {

    /// The running sandbox of that id or name. SANDBOX_NOT_FOUND where the caller may not see it; SANDBOX_ENDED, WRONG_STATE (with
    /// `state`) where it is not running. Waits up to 30 s for one that is `creating`.
    Live running(Caller caller, String sandbox);

    /// As `running`, and counts as activity. Waits as well for one that just goes out of use, so as not to begin what would end with it.
    default Live used(Caller caller, String sandbox) {
        var live = running(caller, sandbox);
        live.touch();
        return live;
    }

    /// Resolves and authorises without needing it to run (ended ones too): for reading execs and output.
    SandboxId visible(Caller caller, String sandbox);

    /// As `visible`, to end or signal what runs in it: of one in quarantine only operators may.
    SandboxId endable(Caller caller, String sandbox);

    Optional<Live> live(SandboxId sandbox);

    /// The sandbox of that id, whoever asks, without waiting; empty where there is none.
    Optional<Ports.Seen> seen(String sandbox);
}
