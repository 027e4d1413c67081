// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Redoma;
import dev.redoma.http.Endpoint;
import dev.redoma.http.Route;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.protocols.e2b.Door;
import dev.redoma.protocols.e2b.Office;
import dev.redoma.protocols.e2b.SandboxTokens;
import dev.redoma.protocols.e2b.control.ControlPlane;
import dev.redoma.protocols.e2b.control.Settings;
import dev.redoma.protocols.e2b.envd.Envd;
import dev.redoma.server.config.Config;
import dev.redoma.server.keys.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// E2B's protocols, put together.
final class E2b {
    private static final int SECRET = 32;

    private E2b() {}

    static List<Route> routes(Config config, @Nullable String domain, Redoma redoma, Door door, Office office, SandboxTokens tokens) {
        var idle = config.engine().bounds().most().idleMs();
        return ControlPlane.routes(redoma, door, office, tokens, new Settings(domain, config.publicPorts(), config.engine().bounds().defaults(), idle == null ? 0 : idle,
                config.largestUpload(), config.dataDir().resolve("e2b-uploads")));
    }

    /// Where sandboxes are found by the router, with the daemon that this protocol knows in each of them.
    static SandboxDoors doors(Config config, Redoma redoma, SandboxTokens tokens, Keys keys) {
        return new SandboxDoors(redoma, tokens, new Envd(redoma, tokens, config.largestUpload()), keys, config.publicPorts());
    }

    /// What the router answers before all is there.
    static Endpoint starting() {
        return http -> {
            throw Problem.of(Code.STOPPING, "The server is starting.", "Try again in a moment.").with("retryAfterSeconds", 1).raise();
        };
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
