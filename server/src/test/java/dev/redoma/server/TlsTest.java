// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One domain over TLS: the API under its name, sandboxes under theirs, by certificates of `redoma tls init`.
class TlsTest {
    private static final String DOMAIN = "boxes.example.com";

    @TempDir
    static Path dir;

    private static RealServer server;

    @BeforeAll
    static void start() throws Exception {
        TlsInit.make(dir, DOMAIN);
        server = RealServer.start(Map.of("REDOMA_TLS_DOMAIN", DOMAIN, "REDOMA_TLS_LISTEN", "127.0.0.1:0", "REDOMA_TLS_CERTIFICATE", dir.resolve(TlsInit.CHAIN).toString(),
                "REDOMA_TLS_KEY", dir.resolve(TlsInit.KEY).toString()));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static SSLSocket dial(String host, String... protocols) throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(Files.readAllBytes(dir.resolve(TlsInit.AUTHORITY)))));
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        var at = URI.create(server.secure());
        var socket = (SSLSocket) context.getSocketFactory().createSocket(new java.net.Socket("127.0.0.1", at.getPort()), host, at.getPort(), true);
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(30_000);
        socket.startHandshake();
        return socket;
    }

    private static String ask(String host, String request) throws Exception {
        try (var socket = dial(host, "http/1.1")) {
            socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /// Browsers let no page of another host set a cookie of such a name.
    @Test
    void theCookieOfAPreviewIsOfItsHostAlone() throws Exception {
        var box = server.post("/v1/sandboxes", java.util.Map.of("template", "tiny"), dev.redoma.model.wire.Sandbox.class);
        var token = server.post("/v1/sandboxes/" + box.id() + "/exposures", java.util.Map.of("port", 3000), dev.redoma.model.wire.Exposure.class).token();
        var host = "3000-" + box.id() + "." + DOMAIN;
        assertThat(ask(host, "GET /?redoma-preview-token=" + token + " HTTP/1.1\nHost: " + host + "\nAccept: text/html\nConnection: close\n\n")).startsWith("HTTP/1.1 303")
                .contains("Set-Cookie: __Host-redoma-preview=" + token + "; Path=/; HttpOnly; SameSite=Lax; Secure");
        assertThat(ask(host, "GET / HTTP/1.1\nHost: " + host + "\nCookie: redoma-preview=planted; __Host-redoma-preview=" + token + "\nConnection: close\n\n")).as("let in, and nothing listens").startsWith("HTTP/1.1 502");
        assertThat(ask(host, "GET / HTTP/1.1\nHost: " + host + "\nCookie: redoma-preview=" + token + "\nConnection: close\n\n")).startsWith("HTTP/1.1 401");
    }

    @Test
    void theApiAndTheDaemonOfASandboxAreUnderTheirNames() throws Exception {
        var api = "api." + DOMAIN;
        var made = ask(api, "POST /v2/sandboxes HTTP/1.1\nHost: " + api + "\nX-API-Key: " + server.key() + "\nContent-Type: application/json\nContent-Length: 21\nConnection: close\n\n"
                + "{\"templateID\":\"tiny\"}");
        assertThat(made).startsWith("HTTP/1.1 201");
        var answer = EnvdClient.JSON.readTree(made.substring(made.indexOf("\r\n\r\n") + 4));
        assertThat(answer.get("domain").stringValue()).isEqualTo(DOMAIN + ":" + URI.create(server.secure()).getPort());
        var box = "49983-" + answer.get("sandboxID").stringValue() + "." + DOMAIN;
        assertThat(ask(box, "GET /health HTTP/1.1\nHost: " + box + "\nConnection: close\n\n")).startsWith("HTTP/1.1 204");
        assertThat(ask(box, "GET /v1/sandboxes HTTP/1.1\nHost: " + box + "\nX-API-Key: " + server.key() + "\nConnection: close\n\n")).startsWith("HTTP/1.1 404");
    }

    @Test
    void http2IsSpokenToThoseWhoOfferIt() throws Exception {
        try (var socket = dial("api." + DOMAIN, "h2", "http/1.1")) {
            assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
        }
    }

    @Test
    void theAuthorityVouchesForNothingElse() throws Exception {
        TlsInit.make(dir.resolve("other"), "elsewhere.example.org");
        var ca = (java.security.cert.X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(dir.resolve(TlsInit.AUTHORITY))));
        assertThat(ca.getExtensionValue("2.5.29.30")).as("name constraints").isNotNull();
        assertThat(ca.getBasicConstraints()).isZero();
        assertThat(Files.getPosixFilePermissions(dir.resolve(TlsInit.KEY))).hasSize(2);
    }
}
