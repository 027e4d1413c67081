// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.gateway.ingress.LocalAuthority;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/// TLS over channels: an origin for a domain and all names right below it, and clients that trust it. Sessions are not resumed.
final class TlsTalk {
    private static final char[] NONE = {};

    private final SSLContext server;
    private final KeyStore trusted;
    private final String authority;

    private TlsTalk(SSLContext server, KeyStore trusted, String authority) {
        this.server = server;
        this.trusted = trusted;
        this.authority = authority;
    }

    /// In PEM.
    String authority() {
        return authority;
    }

    static TlsTalk of(String domain) throws IOException, GeneralSecurityException {
        var minted = LocalAuthority.mint(domain);
        var keys = store();
        var body = minted.key().lines().filter(l -> !l.startsWith("-----")).reduce("", String::concat);
        var key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(body)));
        keys.setKeyEntry("origin", key, NONE, new Certificate[] {certificate(minted.chain())});
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, NONE);
        var server = SSLContext.getInstance("TLS");
        server.init(managers.getKeyManagers(), null, null);
        var trusted = store();
        trusted.setCertificateEntry("authority", certificate(minted.authority()));
        return new TlsTalk(server, trusted, minted.authority());
    }

    private static KeyStore store() throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static Certificate certificate(String pem) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    /// A client that has met nobody yet.
    SSLContext client() throws GeneralSecurityException {
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        var client = SSLContext.getInstance("TLS");
        client.init(null, managers.getTrustManagers(), null);
        return client;
    }

    /// One that believes whatever it is shown, as the gateway's authorities are not known here.
    static SSLContext credulous() throws GeneralSecurityException {
        var client = SSLContext.getInstance("TLS");
        client.init(null, new TrustManager[] {new Credulous()}, null);
        return client;
    }

    private static final class Credulous extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    void serve(SocketChannel connection) throws IOException {
        try (var socket = (SSLSocket) server.getSocketFactory().createSocket(connection.socket(), null, true)) {
            new Talk(socket.getInputStream(), socket.getOutputStream()).serve();
        }
    }

    /// Its handshake done.
    static SSLSocket connected(SSLContext client, SocketChannel channel, String name) throws IOException {
        var socket = (SSLSocket) client.getSocketFactory().createSocket(channel.socket(), name, EgressLab.TLS, true);
        var parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(name)));
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }
}
