// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.gateway.egress.EgressGateway;
import dev.redoma.gateway.egress.UpstreamTrust;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/// What TLS interception stands on: `<data>/egress.key`, which the first start makes and from which the authorities of sandboxes follow, and whom the operator trusts.
final class EgressTls {
    private static final int SECRET = 32;

    private EgressTls() {}

    static EgressGateway.Tls of(Path dataDir, @Nullable Path authorities) {
        var file = dataDir.resolve("egress.key");
        try {
            if (!Files.exists(file)) {
                var fresh = new byte[SECRET];
                new SecureRandom().nextBytes(fresh);
                PrivateFile.write(file, fresh);
            }
            var secret = Files.readAllBytes(file);
            if (secret.length < SECRET) {
                throw new IOException("it has only " + secret.length + " bytes");
            }
            return new EgressGateway.Tls(secret, new UpstreamTrust(authorities));
        } catch (IOException failed) {
            throw Problem.of(Code.HOST_FAILED, file + " cannot be used: " + failed.getMessage(), "Restore it, or remove it: sandboxes whose policy intercepts then have to be started again.").raise(failed);
        }
    }
}
