// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/// The digest that names a document or a layer: `sha256:` and 64 hex digits.
public record Digest(String value) {
    private static final Pattern FORM = Pattern.compile("sha256:[0-9a-f]{64}");

    public Digest {
        if (!FORM.matcher(value).matches()) {
            throw Refusal.image("'" + Refusal.shown(value) + "' is no digest that is taken (sha256: and 64 hex digits)");
        }
    }

    static boolean is(String text) {
        return FORM.matcher(text).matches();
    }

    public static Digest of(byte[] content) {
        return new Digest("sha256:" + HexFormat.of().formatHex(sha256().digest(content)));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    public String hex() {
        return value.substring(7);
    }

    @Override
    public String toString() {
        return value;
    }
}
