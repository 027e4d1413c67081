// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/// A connection whose TLS ends here: first the origin shows that it is the host that was asked for, then the program inside is told so by its own authority, and what they speak is
/// the same on both sides. Requests are decided one by one.
final class Intercepted {
    static final String HTTP1 = "http/1.1";
    static final String HTTP2 = "h2";
    private static final int HANDSHAKE_MS = 15_000;
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private final Interception interception;
    private final Decided decided;
    private final ClientHello hello;

    Intercepted(Interception interception, Decided decided, ClientHello hello) {
        this.interception = interception;
        this.decided = decided;
        this.hello = hello;
    }

    /// What the program would speak and the gateway can; empty: nothing.
    static List<String> spoken(ClientHello hello) {
        return hello.protocols().isEmpty() ? List.of(HTTP1) : hello.protocols().stream().filter(p -> p.equals(HTTP1) || p.equals(HTTP2)).distinct().toList();
    }

    void serve() {
        Link link = decided.link();
        try {
            link.outside().socket().setSoTimeout(HANDSHAKE_MS);
            link.inside().socket().setSoTimeout(HANDSHAKE_MS);
            var beneath = new Beneath(link.outside().socket());
            try (SSLSocket outside = outside(beneath)) {
                String protocol;
                try {
                    outside.startHandshake();
                    protocol = outside.getApplicationProtocol().isEmpty() ? HTTP1 : outside.getApplicationProtocol();
                } catch (SSLException refused) {
                    untrue(link, refused);
                    return;
                }
                try (SSLSocket inside = inside(interception, decided.site(), hello, link.inside().socket(), protocol)) {
                    inside.startHandshake();
                    link.outside().socket().setSoTimeout(0);
                    link.inside().socket().setSoTimeout(0);
                    link.active();
                    carry(protocol, new Ends(inside, outside, beneath));
                }
            }
            link.finish();
        } catch (IOException gone) {
            link.end("broken");
        } catch (RuntimeException failed) {
            link.end("failed");
            throw failed;
        }
    }

    private void carry(String protocol, Ends ends) throws IOException {
        try {
            if (protocol.equals(HTTP2)) {
                new Http2(decided, ends).serve();
            } else {
                new Http1(decided, ends).serve();
            }
        } catch (IOException gone) {
            decided.link().end("broken"); // before TLS is closed, which would tell the program that nothing is missing
            throw gone;
        }
    }

    /// The origin is not who it should be, or speaks no TLS that would tell: the program is told so in HTTP, where it speaks that.
    private void untrue(Link link, SSLException refused) throws IOException {
        boolean certificate = causedBy(refused);
        Refused told = decided.failed(certificate ? "certificate" : "tls",
                certificate ? "its certificate is not one that this server believes for that name" : "the TLS handshake with it failed");
        answer(interception, decided.site(), hello, link.inside().socket(), told);
        link.finish();
    }

    /// Tells a program so in what it speaks, by the sandbox's own authority. It is on record.
    static void answer(Interception interception, Site site, ClientHello hello, Socket plain, Refused told) throws IOException {
        plain.setSoTimeout(HANDSHAKE_MS);
        String protocol = spoken(hello).contains(HTTP1) ? HTTP1 : HTTP2;
        try (SSLSocket inside = inside(interception, site, hello, plain, protocol)) {
            inside.startHandshake();
            if (protocol.equals(HTTP1)) {
                Answered.http1(inside, plain, told);
            } else {
                Answered.http2(inside, plain, told);
            }
        }
    }

    private static boolean causedBy(Throwable failed) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException || cause instanceof javax.net.ssl.SSLPeerUnverifiedException || cause instanceof java.security.cert.CertPathValidatorException) {
                return true;
            }
        }
        return false;
    }

    private SSLSocket outside(Beneath beneath) throws IOException {
        Site site = decided.site();
        var socket = (SSLSocket) interception.outward().getSocketFactory().createSocket(beneath, site.host(), site.port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(VERSIONS);
        if (!site.address()) {
            parameters.setServerNames(List.of(new SNIHostName(site.host())));
        }
        if (!hello.protocols().isEmpty()) {
            parameters.setApplicationProtocols(spoken(hello).toArray(String[]::new));
        }
        socket.setSSLParameters(parameters);
        return socket;
    }

    private static SSLSocket inside(Interception interception, Site site, ClientHello hello, Socket plain, String protocol) throws IOException {
        var context = interception.inward(site.host(), site.address());
        var socket = (SSLSocket) context.getSocketFactory().createSocket(plain, new ByteArrayInputStream(hello.bytes()), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(VERSIONS);
        if (!hello.protocols().isEmpty()) {
            parameters.setApplicationProtocols(new String[] {protocol});
        }
        socket.setSSLParameters(parameters);
        return socket;
    }
}
