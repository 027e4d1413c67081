// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Limits;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// What a warm member is started by: a row that is in no table, with nothing of any request in it.
final class WarmRow {
    private WarmRow() {}

    static SandboxRow of(SandboxId id, TenantId tenant, Plan p, Limits shape, UidRange range, Instant now) {
        return new SandboxRow(id, tenant, null, State.CREATING, null, p.source().ref(), p.source().layers(), Map.of(), Map.of(), shape,
                p.isolation(), p.privileges(), "none", "none", "kill", false, range.base(), null, now, Records.ENGINE, null, null, null, null, now,
                0, true, null, null, List.of(), null);
    }
}
