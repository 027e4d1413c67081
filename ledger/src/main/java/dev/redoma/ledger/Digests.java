// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/// SHA-256 and its text form.
final class Digests {
    private static final HexFormat HEX = HexFormat.of();
    /// Looking one up costs as much as digesting a record with it; the threads that do are the store's few.
    private static final ThreadLocal<MessageDigest> SHA256 = ThreadLocal.withInitial(Digests::fresh);
    static final String NOTHING_BEFORE = "0".repeat(64);

    private Digests() {}

    static byte[] sha256(byte[] bytes) {
        return SHA256.get().digest(bytes);
    }

    private static MessageDigest fresh() {
        try {
            return MessageDigest.getInstance("SHA-256");
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

    /// Refuses text that is not the one encoding of its bytes.
    static byte[] base64(String text) {
        byte[] bytes = Base64.getDecoder().decode(text);
        if (!Base64.getEncoder().encodeToString(bytes).equals(text)) {
            throw new IllegalArgumentException("not the plain Base64 of its bytes");
        }
        return bytes;
    }

    static byte[] bytes(String hex) {
        return HEX.parseHex(hex);
    }
}
