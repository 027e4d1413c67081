// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.ApplyChanges;
import java.util.List;

/// Whether a reviewed change set may be applied. It throws where it may not, or not yet; what it lets through is recorded after it, and before any of it is handed out.
@FunctionalInterface
interface ApplyGate {
    /// Nobody is asked.
    ApplyGate OPEN = (caller, row, asked, paths) -> { };

    void mayApply(Caller caller, SandboxRow row, ApplyChanges asked, List<String> paths);
}
