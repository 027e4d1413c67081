// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.jcajce.provider.asymmetric.util.EC5Util;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/// The authority that one sandbox trusts and no other does. Its key follows from the installation's secret and the sandbox's id: it is in memory only, and the same again after
/// a restart of the server, so that programs that run inside go on trusting it. Thread-safe.
public final class SandboxAuthority {
    /// One subject for all: where it is looked for, in trust stores and before a disk is saved, is known. Whose it is is told by its key.
    static final String SUBJECT = "Redoma egress authority";
    private static final String CURVE = "secp256r1";
    private static final Duration BEFORE = Duration.ofHours(24); // clocks inside may be behind
    private static final Instant SINCE = Instant.parse("2020-01-01T00:00:00Z");
    private static final Instant UNTIL = Instant.parse("2049-12-31T00:00:00Z");
    private static final Duration LEAF = Duration.ofDays(7);
    private static final X500Principal ISSUER = new X500Principal("CN=" + SUBJECT);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final KeyPair keys;
    /// Made with the first of its certificates: most sandboxes are only told whom to trust.
    private @Nullable KeyPair leafKeys;

    private SandboxAuthority(KeyPair keys) {
        this.keys = keys;
    }

    /// `secret`: at least 32 bytes, of this installation alone.
    public static SandboxAuthority of(byte[] secret, String sandbox) {
        try {
            return new SandboxAuthority(derived(secret, sandbox));
        } catch (GeneralSecurityException | IOException impossible) {
            throw new IllegalStateException("the authority of a sandbox", impossible);
        }
    }

    private static KeyPair derived(byte[] secret, String sandbox) throws GeneralSecurityException, IOException {
        byte[] info = ("redoma egress authority " + sandbox).getBytes(StandardCharsets.UTF_8);
        byte[] long40 = KDF.getInstance("HKDF-SHA256").deriveData(HKDFParameterSpec.ofExtract().addIKM(secret).thenExpand(info, 40));
        var curve = CustomNamedCurves.getByName(CURVE);
        BigInteger number = new BigInteger(1, long40).mod(curve.getN().subtract(BigInteger.ONE)).add(BigInteger.ONE);
        var point = curve.getG().multiply(number).normalize();
        var parameters = java.security.AlgorithmParameters.getInstance("EC");
        try {
            parameters.init(new ECGenParameterSpec(CURVE));
            var spec = parameters.getParameterSpec(java.security.spec.ECParameterSpec.class);
            var factory = KeyFactory.getInstance("EC");
            return new KeyPair(factory.generatePublic(new java.security.spec.ECPublicKeySpec(EC5Util.convertPoint(point), spec)), factory.generatePrivate(new java.security.spec.ECPrivateKeySpec(number, spec)));
        } catch (java.security.spec.InvalidParameterSpecException impossible) {
            throw new GeneralSecurityException(impossible);
        }
    }

    private synchronized KeyPair leafKeys() throws GeneralSecurityException {
        if (leafKeys == null) {
            leafKeys = fresh();
        }
        return leafKeys;
    }

    private static KeyPair fresh() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(CURVE), RANDOM);
        return generator.generateKeyPair();
    }

    /// What the sandbox is to trust, in PEM: the same bytes whenever it is asked for.
    String pem() {
        try {
            BigInteger serial = new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(keys.getPublic().getEncoded())).shiftRight(137).setBit(118);
            var builder = new JcaX509v3CertificateBuilder(ISSUER, serial, Date.from(SINCE), Date.from(UNTIL), ISSUER, keys.getPublic())
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
                    .addExtension(Extension.subjectKeyIdentifier, false, new JcaX509ExtensionUtils().createSubjectKeyIdentifier(keys.getPublic()));
            byte[] der = builder.build(new SteadySigner((ECPrivateKey) keys.getPrivate())).getEncoded();
            return pem(der);
        } catch (GeneralSecurityException | IOException impossible) {
            throw new IllegalStateException("the authority of a sandbox", impossible);
        }
    }

    static String pem(byte[] der) {
        return "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END CERTIFICATE-----\n";
    }

    /// A certificate and its key, for a name or an address.
    public record Leaf(X509Certificate certificate, java.security.PrivateKey key) {}

    public Leaf leaf(String host, boolean address, Instant now) {
        try {
            var ids = new JcaX509ExtensionUtils();
            KeyPair leafKeys = leafKeys();
            var builder = builder(new X500Principal("CN=" + (host.length() > 64 ? "host" : host)), leafKeys, now)
                    .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                    .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                    .addExtension(Extension.authorityKeyIdentifier, false, ids.createAuthorityKeyIdentifier(keys.getPublic()))
                    .addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, host)));
            return new Leaf(signed(builder), leafKeys.getPrivate());
        } catch (GeneralSecurityException | OperatorCreationException | IOException impossible) {
            throw new IllegalStateException("a certificate for " + host, impossible);
        }
    }

    private static JcaX509v3CertificateBuilder builder(X500Principal subject, KeyPair of, Instant now) {
        return new JcaX509v3CertificateBuilder(ISSUER, new BigInteger(120, RANDOM).setBit(119), Date.from(now.minus(BEFORE)), Date.from(now.plus(LEAF)), subject, of.getPublic());
    }

    private X509Certificate signed(X509v3CertificateBuilder builder) throws OperatorCreationException, CertificateException {
        return new JcaX509CertificateConverter().getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    }
}
