// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.http.Exchange;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// As whom a request acts inside: the name of its Basic credentials, whose password means nothing.
final class Users {
    private Users() {}

    static @Nullable String of(Exchange http) {
        var header = http.header("Authorization");
        if (header == null || !header.regionMatches(true, 0, "Basic ", 0, 6)) {
            return null;
        }
        try {
            var pair = new String(Base64.getDecoder().decode(header.substring(6).strip()), StandardCharsets.UTF_8);
            var name = pair.substring(0, pair.indexOf(':') < 0 ? pair.length() : pair.indexOf(':'));
            return name.isEmpty() ? null : name;
        } catch (IllegalArgumentException odd) {
            throw Problem.of(Code.UNAUTHENTICATED, "invalid username: the Authorization header is not Basic", "Send Basic with 'NAME:' in Base64.").raise();
        }
    }

    /// What the clients expect of a user that is not there.
    static <T> T known(@Nullable String user, Callable<T> work) throws Exception {
        try {
            return work.call();
        } catch (RedomaException refused) {
            boolean odd = refused.code() == Code.INVALID_FIELD && "user".equals(refused.problem().details().get("field"));
            if (refused.code() == Code.NO_SUCH_USER || odd) {
                throw Problem.of(Code.UNAUTHENTICATED, "invalid username: '" + user + "'", "Name a user of the sandbox.").raise(refused);
            }
            throw refused;
        }
    }
}
