// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// SHA-256 and its text form.
final class Digests {
    private static final HexFormat HEX = HexFormat.of();
    static final String NOTHING_BEFORE = "0".repeat(64);

    private Digests() {}

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    static String hex(byte[] bytes) {
        return HEX.formatHex(bytes);
    }

    static byte[] bytes(String hex) {
        return HEX.parseHex(hex);
    }
}
