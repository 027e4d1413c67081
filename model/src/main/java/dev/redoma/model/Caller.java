// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import java.util.Set;

/// Who asks: the key, its tenant, what it may do. An `OPERATE` caller sees all tenants and may do all but approve.
public record Caller(String key, TenantId tenant, Set<Scope> scopes) {

    public Caller {
        scopes = Set.copyOf(scopes);
    }

    public boolean operator() {
        return scopes.contains(Scope.OPERATE);
    }

    public void need(Scope scope) {
        if (!scopes.contains(scope) && (scope == Scope.APPROVE || !operator())) {
            throw Problem.of(Code.FORBIDDEN, "This key lacks the scope '" + scope.name().toLowerCase(java.util.Locale.ROOT) + "'.",
                            "Ask an operator for a key with it (redoma keys create).")
                    .with("scope", scope.name().toLowerCase(java.util.Locale.ROOT))
                    .raise();
        }
    }
}
