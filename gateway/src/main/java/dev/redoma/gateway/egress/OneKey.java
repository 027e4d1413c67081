// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/// One certificate of an elliptic curve and its key, for whoever connects.
final class OneKey extends X509ExtendedKeyManager {
    private static final String ALIAS = "leaf";
    private final SandboxAuthority.Leaf leaf;

    OneKey(SandboxAuthority.Leaf leaf) {
        this.leaf = leaf;
    }

    private static @Nullable String alias(String type) {
        return type.startsWith("EC") ? ALIAS : null;
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, Socket socket) {
        return alias(type);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String type, Principal @Nullable [] issuers, SSLEngine engine) {
        return alias(type);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
        return alias(type) == null ? null : new String[] {ALIAS};
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal @Nullable [] issuers, Socket socket) {
        return null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return new X509Certificate[] {leaf.certificate()};
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return leaf.key();
    }
}
