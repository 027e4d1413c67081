// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/// HTTPS origins of the tests' own, under an authority of the tests' own.
final class SecureOrigin {
    private static final SandboxAuthority AUTHORITY = SandboxAuthority.of(new byte[32], "the tests' own");

    private SecureOrigin() {}

    /// What the gateway is told to believe.
    static Path authority(Path dir) throws IOException {
        return Files.writeString(dir.resolve("upstream-ca.pem"), AUTHORITY.pem());
    }

    /// One request, as it arrived.
    record Request(String line, List<String> fields, InputStream body, InputStream in, OutputStream out) {
        String path() {
            return line.split(" ")[1];
        }

        String field(String name) {
            return fields.stream().filter(f -> f.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":")).map(f -> f.substring(name.length() + 1).strip()).findFirst().orElse("");
        }
    }

    /// Answers one; false: the connection ends.
    interface Answering {
        boolean answer(Request request) throws IOException;
    }

    /// With a certificate for these names; requests are noted as `METHOD path host`.
    static Lab.Origin http1(Answering answering, String... names) {
        return (connection, noted) -> {
            var socket = secured(connection.socket(), names);
            var in = new java.io.BufferedInputStream(socket.getInputStream());
            for (Request request = read(in, socket.getOutputStream(), noted); request != null; request = read(in, socket.getOutputStream(), noted)) {
                if (!answering.answer(request)) {
                    break;
                }
            }
            socket.close();
        };
    }

    static SSLSocket secured(java.net.Socket plain, String... names) throws IOException {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new OneKey(AUTHORITY.leaf(names[0], names[0].matches("[0-9.]+"), java.time.Instant.now()))}, null, null);
            var socket = (SSLSocket) context.getSocketFactory().createSocket(plain, null, true);
            socket.setUseClientMode(false);
            var parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"http/1.1"});
            socket.setSSLParameters(parameters);
            return socket;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    static SSLContext context(String name) throws GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {new OneKey(AUTHORITY.leaf(name, false, java.time.Instant.now()))}, null, null);
        return context;
    }

    private static Request read(InputStream in, OutputStream out, Consumer<String> noted) throws IOException {
        String line = line(in);
        if (line.isEmpty()) {
            return null;
        }
        var fields = new ArrayList<String>();
        for (String field = line(in); !field.isEmpty(); field = line(in)) {
            fields.add(field);
        }
        var request = new Request(line, fields, body(fields, in), in, out);
        noted.accept(line.split(" ")[0] + " " + request.path() + " " + request.field("host"));
        return request;
    }

    private static InputStream body(List<String> fields, InputStream in) {
        var length = fields.stream().filter(f -> f.toLowerCase(Locale.ROOT).startsWith("content-length:")).findFirst();
        boolean chunked = fields.stream().anyMatch(f -> f.equalsIgnoreCase("transfer-encoding: chunked"));
        return new InputStream() {
            private long left = chunked ? 0 : length.map(l -> Long.parseLong(l.substring(15).strip())).orElse(0L);
            private boolean over = !chunked && left == 0;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int at, int most) throws IOException {
                if (!over && left == 0 && chunked) {
                    left = Long.parseLong(line(in), 16);
                    over = left == 0;
                    if (over) {
                        line(in);
                    }
                }
                if (over) {
                    return -1;
                }
                int n = in.read(into, at, (int) Math.min(most, left));
                left -= Math.max(0, n);
                if (left == 0 && chunked) {
                    line(in);
                }
                over |= n < 0 || left == 0 && !chunked;
                return n;
            }
        };
    }

    static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }

    static boolean say(Request request, String text) throws IOException {
        request.out().write(text.getBytes(StandardCharsets.ISO_8859_1));
        request.out().flush();
        return true;
    }

    static boolean ok(Request request, String body) throws IOException {
        return say(request, "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }
}
