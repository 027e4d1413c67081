// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.NameConstraints;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// Certificates for one domain and every name right below it, from an authority of their own that may vouch for nothing else. The authority's
/// key is used once and forgotten: nobody can make another certificate with it.
public final class LocalAuthority {
    private static final Duration LONG = Duration.ofDays(397); // what clients take of a server's certificate
    private static final SecureRandom RANDOM = new SecureRandom();

    private LocalAuthority() {}

    /// All in PEM. `authority` is what clients trust, `chain` and `key` what the server shows and keeps.
    public record Minted(String authority, String chain, String key, Instant until) {}

    public static Minted mint(String domain) {
        try {
            var now = Instant.now();
            var until = now.plus(LONG);
            var issuer = new X500Principal("CN=Redoma local authority for " + domain);
            var root = pair();
            var names = new JcaX509ExtensionUtils();
            var authority = builder(issuer, issuer, root, now, until)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                    .addExtension(Extension.nameConstraints, true, new NameConstraints(new GeneralSubtree[] {new GeneralSubtree(new GeneralName(GeneralName.dNSName, domain))}, null))
                    .addExtension(Extension.subjectKeyIdentifier, false, names.createSubjectKeyIdentifier(root.getPublic()));
            var server = pair();
            var leaf = builder(issuer, new X500Principal("CN=" + domain), server, now, until)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                    .addExtension(Extension.authorityKeyIdentifier, false, names.createAuthorityKeyIdentifier(root.getPublic()))
                    .addExtension(Extension.subjectAlternativeName, false,
                            new GeneralNames(new GeneralName[] {new GeneralName(GeneralName.dNSName, domain), new GeneralName(GeneralName.dNSName, "*." + domain)}));
            return new Minted(signed(authority, root), signed(leaf, root), pem("PRIVATE KEY", server.getPrivate().getEncoded()), until);
        } catch (GeneralSecurityException | OperatorCreationException | IOException impossible) {
            throw new IllegalStateException("a certificate for " + domain, impossible);
        }
    }

    private static KeyPair pair() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
        return generator.generateKeyPair();
    }

    private static JcaX509v3CertificateBuilder builder(X500Principal issuer, X500Principal subject, KeyPair keys, Instant from, Instant until) {
        return new JcaX509v3CertificateBuilder(issuer, new BigInteger(120, RANDOM), Date.from(from.minus(Duration.ofHours(1))), Date.from(until), subject, keys.getPublic());
    }

    private static String signed(org.bouncycastle.cert.X509v3CertificateBuilder builder, KeyPair by) throws OperatorCreationException, CertificateException {
        var certificate = new JcaX509CertificateConverter().getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(by.getPrivate())));
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateEncodingException odd) {
            throw new CertificateException(odd);
        }
    }

    private static String pem(String kind, byte[] der) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der) + "\n-----END " + kind + "-----\n";
    }
}
