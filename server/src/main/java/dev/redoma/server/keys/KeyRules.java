// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.keys;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Role;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.User;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What keys and people may be.
final class KeyRules {
    private static final String SCOPES = "some of read, create, exec, approve, operate";

    private KeyRules() {}

    static String name(String what, String name) {
        if (name.isBlank() || name.length() > 64 || name.codePoints().anyMatch(c -> c < 0x20 || c == 0x7f || Character.getType(c) == Character.FORMAT || Character.getType(c) == Character.CONTROL)) {
            throw Problem.field("name", "cannot be the name of a " + what, "1 to 64 printable characters");
        }
        return name;
    }

    static Role role(String word) {
        return Role.of(word).orElseThrow(() -> Problem.field("role", "is no role", "viewer, approver, operator or admin"));
    }

    /// `approve` is never held together with what could act on the approval.
    static List<String> scopes(List<String> words) {
        for (var word : words) {
            if (KeyRows.scope(word) == null) {
                throw Problem.field("scopes", "'" + word + "' is no scope", SCOPES);
            }
        }
        if (words.isEmpty()) {
            throw Problem.field("scopes", "is empty", SCOPES);
        }
        if (words.contains("approve") && words.stream().anyMatch(w -> acts(KeyRows.scope(w)))) {
            throw Problem.field("scopes", "'approve' cannot be together with create, exec or operate", "approve alone or with read");
        }
        return words.stream().map(w -> w.toLowerCase(Locale.ROOT)).distinct().toList();
    }

    private static boolean acts(@Nullable Scope scope) {
        return scope == Scope.CREATE || scope == Scope.EXEC || scope == Scope.OPERATE;
    }

    /// A key of a person holds nothing that the role does not.
    static void within(Role role, List<String> scopes) {
        for (var word : scopes) {
            if (!role.scopes().contains(KeyRows.scope(word))) {
                throw Problem.field("scopes", "'" + word + "' is not for the role " + role.wire(), "some of " + role.scopes().stream().sorted().map(s -> s.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", ")));
            }
        }
    }

    static User present(@Nullable User user, String id) {
        if (user == null || user.disabledAt() != null) {
            throw notFound(id);
        }
        return user;
    }

    static RedomaException notFound(String id) {
        return Problem.of(Code.USER_NOT_FOUND, "There is nobody " + (dev.redoma.model.UserId.looksLike(id) ? id : "of that id") + " who is not disabled.", "List them: redoma users list.").raise();
    }
}
