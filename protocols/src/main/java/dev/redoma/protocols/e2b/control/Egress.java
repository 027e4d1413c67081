// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What clients ask of the way out, against what this server can enforce. Nothing is taken and not enforced.
final class Egress {
    /// The SDKs' `ALL_TRAFFIC`.
    static final String ALL = "0.0.0.0/0";

    private Egress() {}

    /// The policy to ask the engine for. Null: what the operator gives this key; that is all that `allow_internet_access: true` means.
    static @Nullable String policy(@Nullable Boolean internet, Requests.@Nullable Network network) {
        if (network == null) {
            return Boolean.FALSE.equals(internet) ? "none" : null;
        }
        refuse("network.allowOut", network.allowOut());
        refuse("network.egressProxy", network.egressProxy());
        refuse("network.rules", network.rules());
        refuse("network.httpsPorts", network.httpsPorts());
        var denied = network.denyOut() == null ? List.<String>of() : network.denyOut();
        if (!denied.isEmpty() && !denied.contains(ALL)) {
            refuse("network.denyOut", denied);
        }
        boolean none = !denied.isEmpty() || Boolean.FALSE.equals(internet) || Boolean.FALSE.equals(network.allow_internet_access());
        return none ? "none" : null;
    }

    private static void refuse(String field, @Nullable Object value) {
        boolean empty = value == null || value instanceof Collection<?> c && c.isEmpty() || value instanceof Map<?, ?> m && m.isEmpty();
        if (!empty) {
            throw notOffered(field, "Rules for single addresses and names cannot be enforced yet.", "Leave it out; denyOut [\"" + ALL + "\"] is enforced.");
        }
    }

    static RedomaException notOffered(String field, String why, String remedy) {
        return Problem.of(Code.NOT_OFFERED, field + ": " + why, remedy).with("field", field).raise();
    }
}
