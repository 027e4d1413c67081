// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.NetworkWishes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What clients ask of the way out, against what this server can enforce. Nothing is taken and not enforced.
final class Egress {

    private Egress() {}

    /// `internet`: `allow_internet_access` beside the network. True or left out, it is whatever the operator gives this key.
    static NetworkWishes wishes(@Nullable Boolean internet, Requests.@Nullable Network network) {
        boolean open = !Boolean.FALSE.equals(internet);
        if (network == null) {
            return new NetworkWishes(open, List.of(), List.of());
        }
        refuse("network.egressProxy", network.egressProxy(), "no proxy is used on the way out.");
        refuse("network.rules", network.rules(), "what is sent is not changed on its way out.");
        refuse("network.httpsPorts", network.httpsPorts(), "TLS is passed through as it is, on every port.");
        return new NetworkWishes(open && !Boolean.FALSE.equals(network.allow_internet_access()), list(network.allowOut()), list(network.denyOut()));
    }

    private static List<String> list(@Nullable List<String> given) {
        return given == null ? List.of() : given;
    }

    private static void refuse(String field, @Nullable Object value, String why) {
        boolean empty = value == null || value instanceof Collection<?> c && c.isEmpty() || value instanceof Map<?, ?> m && m.isEmpty();
        if (!empty) {
            throw notOffered(field, why, "Leave it out; allowOut, denyOut and allow_internet_access are enforced.");
        }
    }

    static RedomaException notOffered(String field, String why, String remedy) {
        return Problem.of(Code.NOT_OFFERED, field + ": " + why, remedy).with("field", field).raise();
    }
}
