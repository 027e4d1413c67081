// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The end of a chain at a moment (`at`: microseconds since the epoch), and the signature that vouches for it.
record Head(String tenant, long seq, String hash, long at, String key, String signature) {

    static Head sign(SigningKey key, String tenant, long seq, String hash, long at) {
        return new Head(tenant, seq, hash, at, key.publicKey(), key.sign(text(tenant, seq, hash, at, key.publicKey())));
    }

    private static String text(String tenant, long seq, String hash, long at, String key) {
        return Canonical.text(Map.of("tenant", tenant, "seq", seq, "hash", hash, "at", at, "key", key, "v", 1));
    }

    boolean signedBy(String publicKey) {
        return key.equals(publicKey) && SigningKey.verifies(publicKey, text(tenant, seq, hash, at, key), signature);
    }

    Map<String, Object> json() {
        return Map.of("tenant", tenant, "seq", seq, "hash", hash, "at", at, "key", key, "v", 1, "signature", signature);
    }

    /// Null where the object is no head.
    static @Nullable Head from(@Nullable Object json) {
        return json instanceof Map<?, ?> m
                        && m.size() == 7
                        && Long.valueOf(1).equals(m.get("v"))
                        && m.get("tenant") instanceof String tenant
                        && m.get("seq") instanceof Long seq
                        && m.get("hash") instanceof String hash
                        && m.get("at") instanceof Long at
                        && m.get("key") instanceof String key
                        && m.get("signature") instanceof String signature
                ? new Head(tenant, seq, hash, at, key, signature)
                : null;
    }
}
