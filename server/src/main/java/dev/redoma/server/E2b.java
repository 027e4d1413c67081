// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Redoma;
import dev.redoma.http.Route;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.protocols.e2b.Door;
import dev.redoma.protocols.e2b.SandboxTokens;
import dev.redoma.protocols.e2b.control.ControlPlane;
import dev.redoma.protocols.e2b.control.Settings;
import dev.redoma.server.config.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

/// E2B's protocols, put together.
final class E2b {
    private static final int SECRET = 32;

    private E2b() {}

    static List<Route> routes(Config config, Redoma redoma, Door door, SandboxTokens tokens) {
        var idle = config.engine().bounds().most().idleMs();
        return ControlPlane.routes(redoma, door, tokens, new Settings(null, idle == null ? 0 : idle, config.largestUpload()));
    }

    /// From `<data>/e2b.key`, which the first start makes: tokens of sandboxes outlive the server.
    static SandboxTokens tokens(Path dataDir) {
        var file = dataDir.resolve("e2b.key");
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
            return new SandboxTokens(secret);
        } catch (IOException failed) {
            throw Problem.of(Code.HOST_FAILED, file + " cannot be used: " + failed.getMessage(), "Restore it, or remove it: sandboxes then get other tokens.").raise(failed);
        }
    }
}
