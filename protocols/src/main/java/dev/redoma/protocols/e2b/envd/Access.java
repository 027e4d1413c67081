// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.http.Exchange;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.protocols.e2b.SandboxTokens;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/// Who may speak to the daemon of a sandbox: whoever shows its token, and whoever has a signed address of one file.
final class Access {
    private Access() {}

    static void token(Exchange http, String token) {
        if (!SandboxTokens.same(token, http.header("X-Access-Token"))) {
            throw refused("unauthorized: the access token is missing or wrong");
        }
    }

    /// The token, or a signature that covers this operation on this path.
    static void file(Exchange http, String token, String operation) {
        if (http.header("X-Access-Token") != null) {
            token(http, token);
            return;
        }
        var signature = http.query().get("signature");
        if (signature == null) {
            throw refused("missing signature query parameter");
        }
        if (!signed(http, token, operation, signature)) {
            throw refused("invalid signature");
        }
        if (expired(http)) {
            throw refused("signature is already expired");
        }
    }

    static boolean signed(Exchange http, String token, String operation, String signature) {
        var query = http.query();
        return SandboxTokens.same(sign(text(query.get("path")), operation, text(query.get("username")), token, query.get("signature_expiration")), signature);
    }

    private static boolean expired(Exchange http) {
        return http.query().get("signature_expiration") != null && http.query().number("signature_expiration", 0, 0, Long.MAX_VALUE) < Instant.now().getEpochSecond();
    }

    static String sign(String path, String operation, String user, String token, @Nullable String expiration) {
        var text = path + ":" + operation + ":" + user + ":" + token + (expiration == null ? "" : ":" + expiration);
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "v1_" + Base64.getEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException absent) {
            throw new IllegalStateException(absent);
        }
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static RedomaException refused(String why) {
        return Problem.of(Code.UNAUTHENTICATED, why, "Connect to the sandbox anew, or make a new address of the file.").raise();
    }
}
