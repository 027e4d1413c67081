// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.security.interfaces.ECPrivateKey;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.signers.DSADigestSigner;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.DefaultSignatureAlgorithmIdentifierFinder;

/// ECDSA on P-256 with SHA-256 whose signature follows from key and content (RFC 6979).
final class SteadySigner implements ContentSigner {
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final DSADigestSigner signer = new DSADigestSigner(new ECDSASigner(new HMacDSAKCalculator(new SHA256Digest())), new SHA256Digest());

    SteadySigner(ECPrivateKey key) {
        signer.init(true, new ECPrivateKeyParameters(key.getS(), new ECDomainParameters(CustomNamedCurves.getByName("secp256r1"))));
    }

    @Override
    public AlgorithmIdentifier getAlgorithmIdentifier() {
        return new DefaultSignatureAlgorithmIdentifierFinder().find("SHA256withECDSA");
    }

    @Override
    public OutputStream getOutputStream() {
        return content;
    }

    @Override
    public byte[] getSignature() {
        byte[] all = content.toByteArray();
        signer.update(all, 0, all.length);
        return signer.generateSignature();
    }
}
