// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ExecId;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.ExecSpec;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What is fixed about an exec from its start on. `version`: digest of what the sandbox stands on. `cwd` empty: the user's home.
/// `deadline` null: none.
record ExecFacts(
        ExecId id, SandboxId sandbox, String version, String tenant, String actor, ExecSpec spec, String cwd, String user, Instant startedAt,
        @Nullable Instant deadline) {

    long outputLimit() {
        var limit = spec.outputLimitBytes();
        return limit == null ? ExecOrder.OUTPUT : limit;
    }

    boolean stdin() {
        return Boolean.TRUE.equals(spec.stdin()) || spec.tty() != null;
    }
}
