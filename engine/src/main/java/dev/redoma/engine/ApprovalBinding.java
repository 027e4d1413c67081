// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.KeyFile;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// What an approval is bound to: an HMAC-SHA-256 over exactly what is asked, by whom and under which rules, under a secret of the installation (`<data>/approvals.key`), for values of variables are in it that nobody should
/// be able to try out. Thread-safe.
final class ApprovalBinding {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int SECRET = 32;

    private final SecretKeySpec key;

    private ApprovalBinding(byte[] secret) {
        key = new SecretKeySpec(secret, ALGORITHM);
    }

    /// The first call makes the secret. Whoever removes it makes every open approval void.
    static ApprovalBinding open(Path dataDir) {
        var file = dataDir.resolve("approvals.key");
        try {
            Files.createDirectories(dataDir);
            var secret = HexFormat.of().parseHex(KeyFile.readOrCreate(file, true, ApprovalBinding::fresh).strip());
            if (secret.length < SECRET) {
                throw new IOException("it has only " + secret.length + " bytes");
            }
            return new ApprovalBinding(secret);
        } catch (IOException | IllegalArgumentException unfit) {
            throw Problem.of(Code.HOST_FAILED, file + " cannot be used: " + unfit.getMessage(), "Restore it, or remove it: what was approved and not used then has to be asked for again.").raise(unfit);
        }
    }

    private static String fresh() {
        var secret = new byte[SECRET];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret) + "\n";
    }

    byte[] of(ApprovalAsk ask) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            part(mac, "redoma-approval-1");
            part(mac, ask.kind());
            part(mac, ask.sandbox().value());
            part(mac, ask.caller().key());
            part(mac, ask.needed().by() + " " + ask.needed().within());
            part(mac, String.join(" ", ask.needed().rules()));
            ask.exact().forEach(text -> part(mac, text));
            return mac.doFinal();
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException(absent);
        }
    }

    /// With its length before it, each `char` as it is: no two lists of texts are the same bytes.
    private static void part(Mac mac, String text) {
        mac.update((text.length() + ":").getBytes(StandardCharsets.US_ASCII));
        var bytes = new byte[text.length() * 2];
        for (int i = 0; i < text.length(); i++) {
            bytes[2 * i] = (byte) (text.charAt(i) >> 8);
            bytes[2 * i + 1] = (byte) text.charAt(i);
        }
        mac.update(bytes);
    }
}
