// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// Whose certificates the gateway believes of origins: this host's authorities, and those that the operator adds, which programs inside are to believe as well. Thread-safe.
public final class UpstreamTrust {
    private static final Path SYSTEM = Path.of("/etc/ssl/certs/ca-certificates.crt");

    /// Marks around what is told to sandboxes beside their own authority: by them it is found again in a disk that is saved.
    private static final String BEGIN = "# Redoma: what else is trusted here\n";
    private static final String END = "# Redoma: end of it\n";
    private static final int MOST = 320 << 10;

    private final @Nullable Path more;
    private final String written;
    private TrustManager @Nullable [] managers;

    /// `more`: a file of certificates in PEM; null: none.
    public UpstreamTrust(@Nullable Path more) {
        this.more = more;
        this.written = more == null ? "" : written(more, certificates(more)); // a server that cannot read it does not start
    }

    /// Whether sandboxes are to trust more than their own authority.
    boolean more() {
        return !written.isEmpty();
    }

    /// What a sandbox is to trust: its own authority, and what the operator adds.
    String told(String authority) {
        return authority + written;
    }

    private static String written(Path file, List<? extends Certificate> all) {
        try {
            var text = new StringBuilder(BEGIN);
            for (Certificate one : all) {
                text.append(SandboxAuthority.pem(one.getEncoded()));
            }
            if (all.isEmpty() || text.length() > MOST) {
                throw Problem.of(Code.HOST_FAILED, "The authorities in " + file + " cannot be used: there are " + all.size() + ", of " + text.length() + " bytes.",
                        "Give a file of certificates in PEM, of at most " + (MOST >> 10) + " KiB: those alone that neither this host nor the templates have.").raise();
            }
            return text.append(END).toString();
        } catch (CertificateEncodingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /// A new one, with sessions of its own.
    SSLContext context() {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw Problem.of(Code.HOST_FAILED, "The authorities of this host cannot be used: " + e.getMessage(), "See whether ca-certificates is installed.").raise(e);
        }
    }

    private synchronized TrustManager[] managers() throws GeneralSecurityException, IOException {
        if (managers == null) {
            var all = new ArrayList<Certificate>(Files.isReadable(SYSTEM) ? certificates(SYSTEM) : shipped());
            if (more != null) {
                all.addAll(certificates(more));
            }
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < all.size(); i++) {
                store.setCertificateEntry("ca" + i, all.get(i));
            }
            var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            managers = factory.getTrustManagers();
        }
        return managers;
    }

    private static List<X509Certificate> shipped() throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        return Arrays.stream(factory.getTrustManagers()).filter(X509TrustManager.class::isInstance).flatMap(m -> Arrays.stream(((X509TrustManager) m).getAcceptedIssuers())).toList();
    }

    private static List<? extends Certificate> certificates(Path file) {
        try (var in = Files.newInputStream(file)) {
            return List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
        } catch (IOException | GeneralSecurityException e) {
            throw Problem.of(Code.HOST_FAILED, "The authorities in " + file + " cannot be used: " + e.getMessage(), "Give a file of certificates in PEM.").raise(e);
        }
    }
}
