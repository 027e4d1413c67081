// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/// A program inside that speaks TLS and trusts what its sandbox is told to trust, and nothing else.
final class SecureClient implements AutoCloseable {
    final SSLSocket socket;
    final InputStream in;
    private final SocketChannel channel;
    private final Beneath beneath;

    SecureClient(Lab lab, Inside inside, SocketChannel channel, String name, boolean sni, String... protocols) throws Exception {
        this.channel = channel;
        beneath = new Beneath(channel.socket());
        socket = (SSLSocket) trusting(lab.gateway.authority(inside.id).orElseThrow()).getSocketFactory().createSocket(beneath, name, 443, true);
        var parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setServerNames(sni ? List.of(new SNIHostName(name)) : List.of());
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        in = socket.getInputStream();
    }

    static SecureClient to(Lab lab, Inside inside, String name, String... protocols) throws Exception {
        return new SecureClient(lab, inside, inside.to(name, 443), name, true, protocols);
    }

    static SSLContext trusting(String pem) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("it", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII))));
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    X509Certificate shown() throws IOException {
        return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }

    void say(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// One answer: its status line, its head and its body, which has a length or comes in chunks.
    record Answer(int status, String head, String body) {}

    Answer answer() throws IOException {
        var head = new StringBuilder();
        for (String line = SecureOrigin.line(in); !line.isEmpty(); line = SecureOrigin.line(in)) {
            head.append(line).append('\n');
        }
        String lower = head.toString().toLowerCase(Locale.ROOT);
        if (head.isEmpty()) {
            throw new IOException("no answer");
        }
        int status = Integer.parseInt(head.substring(9, 12));
        return new Answer(status, head.toString(), status < 200 ? "" : body(lower));
    }

    private String body(String head) throws IOException {
        if (head.contains("transfer-encoding: chunked")) {
            var all = new StringBuilder();
            for (int n = Integer.parseInt(SecureOrigin.line(in), 16); n > 0; n = Integer.parseInt(SecureOrigin.line(in), 16)) {
                all.append(new String(in.readNBytes(n), StandardCharsets.ISO_8859_1));
                SecureOrigin.line(in);
            }
            SecureOrigin.line(in);
            return all.toString();
        }
        int at = head.indexOf("content-length: ");
        byte[] bytes = at < 0 ? in.readAllBytes() : in.readNBytes(Integer.parseInt(head.substring(at + 16, head.indexOf('\n', at))));
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    Answer ask(String request) throws IOException {
        say(request);
        return answer();
    }

    static String get(String path, String host) {
        return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    }

    /// Whether the connection ended without a word of TLS.
    boolean cut() {
        return beneath.cut();
    }

    /// Whether nothing more comes.
    boolean ended() {
        try {
            return in.read() < 0;
        } catch (IOException gone) {
            return true;
        }
    }

    /// As programs do that close their socket and say nothing in TLS.
    void leave() throws IOException {
        channel.close();
    }

    /// Without a word.
    void reset() throws IOException {
        channel.setOption(java.net.StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
