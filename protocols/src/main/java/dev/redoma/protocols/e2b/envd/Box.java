// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.model.Caller;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Sandbox;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The sandbox that a request is for. Whoever may speak to its daemon acts as its maker, in this sandbox alone: `caller` goes no further than
/// to calls about `id`.
record Box(String id, String template, Caller caller) {

    static Box of(Sandbox sandbox) {
        var by = sandbox.createdBy();
        return new Box(sandbox.id(), sandbox.template().name(), new Caller(by == null ? "unknown" : by, new dev.redoma.model.TenantId(sandbox.tenant()), Set.of(Scope.READ, Scope.EXEC)));
    }

    /// What every process finds in its environment.
    Map<String, String> env() {
        return Map.of("E2B_SANDBOX", "true", "E2B_SANDBOX_ID", id, "E2B_TEMPLATE_ID", template);
    }

    /// One request: the sandbox, and as whom inside (null: the template's user).
    record Asked(Box box, @Nullable String user) {

        Caller caller() {
            return box.caller();
        }

        String id() {
            return box.id();
        }
    }
}
