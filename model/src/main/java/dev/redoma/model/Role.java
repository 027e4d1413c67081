// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// What a person is here. It bounds what that person's keys may do, whatever they were made with; which of them one key holds together is the key's own rule (`Scope`).
public enum Role {
    VIEWER(Scope.READ), APPROVER(Scope.READ, Scope.APPROVE), OPERATOR(Scope.READ, Scope.CREATE, Scope.EXEC, Scope.OPERATE),
    /// An operator who also looks after people and their keys, and may hold a key that approves.
    ADMIN(Scope.READ, Scope.CREATE, Scope.EXEC, Scope.OPERATE, Scope.APPROVE);

    private final Set<Scope> scopes;

    Role(Scope... scopes) {
        this.scopes = Set.copyOf(EnumSet.copyOf(Arrays.asList(scopes)));
    }

    public Set<Scope> scopes() {
        return scopes;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Role> of(String word) {
        return Arrays.stream(values()).filter(r -> r.wire().equals(word)).findFirst();
    }
}
