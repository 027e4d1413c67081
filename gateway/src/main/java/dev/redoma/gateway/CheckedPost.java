// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/// Tells something to a web address that an operator named: one POST, by an address that was checked, over a connection of its own. Nothing of the answer but its status is read, and no redirect is followed. Thread-safe.
public final class CheckedPost {
    private final CheckedDialler dialler;
    private final boolean allowPrivate;
    private final Duration patience;
    private final Authorities authorities = new Authorities();

    /// `allowPrivate`: it may lead to a private address, and go without TLS. `patience`: for all of it together.
    public CheckedPost(CheckedDialler dialler, boolean allowPrivate, Duration patience) {
        this.dialler = dialler;
        this.allowPrivate = allowPrivate;
        this.patience = patience;
    }

    /// The status of the answer. ADDRESS_REFUSED where it leads to what may not be dialled; an IOException where it did not work.
    public int send(URI to, Map<String, String> headers, byte[] body) throws IOException {
        boolean tls = to.getScheme().equals("https");
        if (!tls && !allowPrivate) {
            throw Problem.of(Code.ADDRESS_REFUSED, to.getHost() + " is not told anything without TLS.", "Use https.").with("host", to.getHost()).raise();
        }
        String host = to.getHost().startsWith("[") ? to.getHost().substring(1, to.getHost().length() - 1) : to.getHost();
        int port = to.getPort() > 0 ? to.getPort() : tls ? 443 : 80;
        try (var channel = dialler.dial(dialler.checked(host, port, allowPrivate), port).channel()) {
            var watch = Thread.ofVirtual().start(() -> end(channel));
            try {
                Socket socket = tls ? secured(channel.socket(), host, port) : channel.socket();
                socket.getOutputStream().write(request(to, headers, body));
                socket.getOutputStream().flush();
                var answer = new HttpAnswer(socket);
                if (!answer.finalHead()) {
                    throw new IOException("closed without an answer");
                }
                return answer.status();
            } finally {
                watch.interrupt();
            }
        }
    }

    private void end(java.nio.channels.SocketChannel channel) {
        try {
            Thread.sleep(patience);
            channel.close();
        } catch (InterruptedException done) {
            // it ended in time
        } catch (IOException closed) {
            // as it should be
        }
    }

    private Socket secured(Socket socket, String host, int port) throws IOException {
        var secure = (SSLSocket) authorities.of(null).getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }

    private static byte[] request(URI to, Map<String, String> headers, byte[] body) {
        String path = to.getRawPath() == null || to.getRawPath().isEmpty() ? "/" : to.getRawPath();
        var head = new StringBuilder("POST ").append(path).append(to.getRawQuery() == null ? "" : "?" + to.getRawQuery()).append(" HTTP/1.1\r\nHost: ").append(to.getRawAuthority())
                .append("\r\nUser-Agent: redoma\r\nConnection: close\r\nContent-Length: ").append(body.length).append("\r\n");
        headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        byte[] first = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        var all = java.util.Arrays.copyOf(first, first.length + body.length);
        System.arraycopy(body, 0, all, first.length, body.length);
        return all;
    }
}
