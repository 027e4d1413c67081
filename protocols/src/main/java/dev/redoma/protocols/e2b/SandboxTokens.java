// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b;

import dev.redoma.model.wire.Sandbox;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// The tokens that go with one sandbox, derived from a secret of the installation: the same over pause, resume and restarts of the
/// server, and another for each sandbox. Thread-safe.
public final class SandboxTokens {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /// `secret`: at least 32 random bytes that stay with the data directory.
    public SandboxTokens(byte[] secret) {
        if (secret.length < 32) {
            throw new IllegalArgumentException("the secret has only " + secret.length + " bytes");
        }
        key = new SecretKeySpec(secret, ALGORITHM);
    }

    /// What `X-Access-Token` must be; empty where the sandbox was made with `secure: false`.
    public Optional<String> envd(Sandbox sandbox) {
        return envd(sandbox.id(), Traits.of(sandbox));
    }

    /// The same of the sandbox of that id.
    public Optional<String> envd(String sandbox, Traits traits) {
        return traits.secure() ? Optional.of(derive("envd", sandbox)) : Optional.empty();
    }

    /// What `e2b-traffic-access-token` must be where not anybody may reach its ports.
    public String traffic(Sandbox sandbox) {
        return traffic(sandbox.id());
    }

    /// The same of the sandbox of that id.
    public String traffic(String sandbox) {
        return derive("traffic", sandbox);
    }

    /// What opens the content of a volume.
    public String volume(String id) {
        return derive("volume", id);
    }

    /// What signs the URL of an upload or of anything else that carries no key; `about`: what the URL is for.
    public String link(String about) {
        return derive("link", about);
    }

    /// In a time that tells nothing about `expected`.
    public static boolean same(String expected, @Nullable String given) {
        return given != null && MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private String derive(String purpose, String about) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal((purpose + '\0' + about).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException(absent);
        }
    }
}
