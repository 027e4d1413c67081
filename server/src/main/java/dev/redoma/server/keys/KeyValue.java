// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.keys;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/// The secret part of a key: `e2b_` and 40 lower-case hex digits (160 bits), as every supported SDK accepts it. Its text form tells nothing.
public record KeyValue(String secret) {
    private static final Pattern FORM = Pattern.compile("e2b_[0-9a-f]{40}");
    private static final SecureRandom RANDOM = new SecureRandom();

    static KeyValue mint() {
        var bytes = new byte[20];
        RANDOM.nextBytes(bytes);
        return new KeyValue("e2b_" + HexFormat.of().formatHex(bytes));
    }

    public static boolean looksLike(String text) {
        return FORM.matcher(text).matches();
    }

    /// All of it that is kept: 160 random bits need no salt.
    byte[] hash() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException absent) {
            throw new IllegalStateException(absent);
        }
    }

    @Override
    public String toString() {
        return "e2b_…";
    }
}
