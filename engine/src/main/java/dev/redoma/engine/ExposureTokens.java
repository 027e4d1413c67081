// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.KeyFile;
import dev.redoma.model.Code;
import dev.redoma.model.ExposureId;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.policy.Audience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// What opens exposed ports: `rpt1.ID.SANDBOX.PORT.AUDIENCE.EXPIRY.MAC`. The MAC is all of an HMAC-SHA-256 over these and the tenant, under a secret of the installation (`<data>/preview.key`): a token says what
/// it is for, and whether it is genuine is known without asking what is exposed now. Thread-safe.
final class ExposureTokens {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int SECRET = 32;
    private static final Pattern FORM = Pattern.compile("rpt1\\.(pv[a-z0-9]{18})\\.(sb[a-z0-9]{18})\\.([1-9][0-9]{0,4})\\.(tenant|token|public)\\.([0-9]{1,17})\\.([A-Za-z0-9_-]{43})");

    private final SecretKeySpec key;

    private ExposureTokens(byte[] secret) {
        key = new SecretKeySpec(secret, ALGORITHM);
    }

    /// The first call makes the secret. Whoever removes it makes every token void.
    static ExposureTokens open(Path dataDir) {
        var file = dataDir.resolve("preview.key");
        try {
            Files.createDirectories(dataDir);
            var secret = HexFormat.of().parseHex(KeyFile.readOrCreate(file, true, ExposureTokens::fresh).strip());
            if (secret.length < SECRET) {
                throw new IOException("it has only " + secret.length + " bytes");
            }
            return new ExposureTokens(secret);
        } catch (IOException | IllegalArgumentException unfit) {
            throw Problem.of(Code.HOST_FAILED, file + " cannot be used: " + unfit.getMessage(), "Restore it, or remove it: what is exposed then has to be exposed again.").raise(unfit);
        }
    }

    private static String fresh() {
        var secret = new byte[SECRET];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret) + "\n";
    }

    String of(ExposureRow e) {
        return "rpt1." + e.id() + "." + e.sandbox() + "." + e.port() + "." + e.audience().wire() + "." + Columns.micros(e.expiresAt()) + "."
                + mac(e.id(), e.sandbox(), e.tenant(), e.port(), e.audience(), e.expiresAt());
    }

    /// What a token says; nothing of it is known to be true.
    record Said(ExposureId id, SandboxId sandbox, int port, Audience audience, Instant expiresAt, String mac) {}

    static Optional<Said> read(String token) {
        var found = FORM.matcher(token);
        if (!found.matches()) {
            return Optional.empty();
        }
        return Optional.of(new Said(new ExposureId(found.group(1)), new SandboxId(found.group(2)), Integer.parseInt(found.group(3)), Audience.of(found.group(4)).orElseThrow(),
                Columns.instant(Long.parseLong(found.group(5))), found.group(6)));
    }

    /// Whether this installation made it for a sandbox of that tenant.
    boolean genuine(Said said, TenantId tenant) {
        var expected = mac(said.id, said.sandbox, tenant, said.port, said.audience, said.expiresAt);
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.US_ASCII), said.mac.getBytes(StandardCharsets.US_ASCII));
    }

    private String mac(ExposureId id, SandboxId sandbox, TenantId tenant, int port, Audience audience, Instant expiresAt) {
        var text = String.join("\0", "redoma-preview-1", id.value(), sandbox.value(), tenant.value(), Integer.toString(port), audience.wire(), Long.toString(Columns.micros(expiresAt)));
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException(absent);
        }
    }
}
