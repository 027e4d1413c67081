// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// Whose certificates are believed: the machine's authorities, or those of one file. Thread-safe.
final class Authorities {
    private final Map<Path, SSLContext> byFile = new ConcurrentHashMap<>();

    SSLContext of(@Nullable Path file) {
        try {
            return file == null ? SSLContext.getDefault() : byFile.computeIfAbsent(file, Authorities::read);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SSLContext read(Path file) {
        try (var in = Files.newInputStream(file)) {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int n = 0;
            for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + n++, certificate);
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw Problem.of(Code.HOST_FAILED, "The ca-file " + file + " cannot be used: " + e.getMessage(), "Give a file of certificates in PEM.").raise(e);
        }
    }
}
