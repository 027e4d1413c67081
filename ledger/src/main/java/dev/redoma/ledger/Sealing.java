// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// AES-256-GCM. Sealed form: a random nonce of 12 bytes, then ciphertext and tag. Nonces are random, not counted, because a
/// sequence number comes again after a transaction was undone.
final class Sealing {
    private static final SecureRandom RANDOM = new SecureRandom();
    /// Looking one up costs more than sealing a record with it; the threads that do are the store's few.
    private static final ThreadLocal<Cipher> CIPHER = ThreadLocal.withInitial(Sealing::fresh);
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private Sealing() {}

    static SecretKey randomKey() {
        byte[] raw = new byte[32];
        RANDOM.nextBytes(raw);
        return key(raw);
    }

    static SecretKey key(byte[] raw) {
        if (raw.length != 32) {
            throw new IllegalArgumentException("an AES-256 key has 32 bytes, not " + raw.length);
        }
        return new SecretKeySpec(raw, "AES");
    }

    private static Cipher fresh() {
        try {
            return Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] seal(SecretKey key, byte[] plain, byte[] context) {
        byte[] nonce = new byte[NONCE];
        RANDOM.nextBytes(nonce);
        try {
            var cipher = CIPHER.get();
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD(context);
            byte[] out = Arrays.copyOf(nonce, NONCE + cipher.getOutputSize(plain.length));
            int written = cipher.doFinal(plain, 0, plain.length, out, NONCE);
            return Arrays.copyOf(out, NONCE + written);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Null where it was not sealed with this key and context, or was changed since.
    static byte @Nullable [] open(SecretKey key, byte[] sealed, byte[] context) {
        if (sealed.length < NONCE + TAG_BITS / 8) {
            return null;
        }
        try {
            var cipher = CIPHER.get();
            cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, sealed, 0, NONCE));
            cipher.updateAAD(context);
            return cipher.doFinal(sealed, NONCE, sealed.length - NONCE);
        } catch (AEADBadTagException changed) {
            return null;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
