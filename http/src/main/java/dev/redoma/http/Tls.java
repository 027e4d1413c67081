// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/// A certificate with its chain and its key (PKCS #8), both in PEM.
public record Tls(Path chain, Path key) {

    SslContextFactory.Server factory() {
        try {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            var certificates = CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(Files.readAllBytes(chain))).toArray(Certificate[]::new);
            if (certificates.length == 0) {
                throw new GeneralSecurityException(chain + " holds no certificate");
            }
            store.setKeyEntry("server", read(), new char[0], certificates);
            var factory = new SslContextFactory.Server();
            factory.setKeyStore(store);
            factory.setKeyStorePassword("");
            factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
            factory.setSniRequired(false);
            return factory;
        } catch (IOException | GeneralSecurityException | IllegalArgumentException unusable) {
            throw Problem.of(Code.HOST_FAILED, "The certificate " + chain + " with the key " + key + " cannot be used: " + unusable.getMessage(),
                    "Make them with 'redoma tls init', or name others in PEM (the key as PKCS #8).").raise(unusable);
        }
    }

    private PrivateKey read() throws IOException, GeneralSecurityException {
        var pem = Files.readString(key, StandardCharsets.US_ASCII);
        var begin = "-----BEGIN PRIVATE KEY-----";
        int from = pem.indexOf(begin);
        int to = pem.indexOf("-----END PRIVATE KEY-----");
        if (from < 0 || to < from) {
            throw new GeneralSecurityException(key + " holds no PRIVATE KEY in PEM");
        }
        var spec = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.substring(from + begin.length(), to)));
        for (var kind : new String[] {"EC", "RSA", "Ed25519"}) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(spec);
            } catch (InvalidKeySpecException other) {
                // of another kind
            }
        }
        throw new GeneralSecurityException(key + " is a key of no known kind");
    }
}
