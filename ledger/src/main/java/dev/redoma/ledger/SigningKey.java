// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;

/// The installation's Ed25519 key. Keys and signatures travel as Base64; a public key is its raw 32 bytes. Immutable.
final class SigningKey {
    /// What X.509 puts before the raw 32 bytes of an Ed25519 key.
    private static final byte[] X509_HEAD = Digests.bytes("302a300506032b6570032100");
    private static final String DOMAIN = "redoma ledger\n";

    private final PrivateKey secret;
    private final String publicKey;

    private SigningKey(PrivateKey secret, String publicKey) {
        this.secret = secret;
        this.publicKey = publicKey;
    }

    static SigningKey at(Path file, boolean mayCreate) {
        String[] lines = KeyFile.readOrCreate(file, mayCreate, SigningKey::generate).split("\n");
        try {
            var secret = KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(lines[0])));
            var key = new SigningKey(secret, lines[1]);
            if (!verifies(key.publicKey, "test", key.sign("test"))) {
                throw new GeneralSecurityException("its two halves do not belong together");
            }
            return key;
        } catch (GeneralSecurityException | IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw KeyFile.unusable(file, e);
        }
    }

    private static String generate() {
        try {
            var pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            byte[] x509 = pair.getPublic().getEncoded();
            byte[] raw = Arrays.copyOfRange(x509, X509_HEAD.length, x509.length);
            var base64 = Base64.getEncoder();
            return base64.encodeToString(pair.getPrivate().getEncoded()) + "\n" + base64.encodeToString(raw) + "\n";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    String publicKey() {
        return publicKey;
    }

    String sign(String text) {
        try {
            var signature = Signature.getInstance("Ed25519");
            signature.initSign(secret);
            signature.update((DOMAIN + text).getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static boolean verifies(String publicKey, String text, String signature) {
        try {
            byte[] raw = Digests.base64(publicKey);
            byte[] x509 = Arrays.copyOf(X509_HEAD, X509_HEAD.length + raw.length);
            System.arraycopy(raw, 0, x509, X509_HEAD.length, raw.length);
            var check = Signature.getInstance("Ed25519");
            check.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(x509)));
            check.update((DOMAIN + text).getBytes(StandardCharsets.UTF_8));
            return check.verify(Digests.base64(signature));
        } catch (GeneralSecurityException | IllegalArgumentException notEven) {
            return false;
        }
    }
}
