// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// What answers on the ports of the tests' internet. It takes what comes as it comes, so that what it notes is what was sent.
final class LabOrigin {
    private LabOrigin() {}

    /// One request: noted is its first line and its host; `/to?ADDRESS` is answered by a redirect to there.
    static void http(SocketChannel connection, Consumer<String> noted) throws IOException {
        InputStream in = connection.socket().getInputStream();
        var head = new StringBuilder();
        for (int b = in.read(); b >= 0 && head.indexOf("\r\n\r\n") < 0; b = head.indexOf("\r\n\r\n") < 0 ? in.read() : -1) {
            head.append((char) b);
        }
        var lines = head.toString().split("\r\n");
        noted.accept(lines[0] + " " + String.join("|", java.util.Arrays.stream(lines).filter(l -> l.toLowerCase(java.util.Locale.ROOT).startsWith("host:")).toList()));
        int to = lines[0].indexOf("/to?");
        String answer = to < 0 ? "200 OK\r\n" : "302 Found\r\nLocation: " + lines[0].substring(to + 4, lines[0].indexOf(' ', to)) + "\r\n";
        connection.socket().getOutputStream().write(("HTTP/1.1 " + answer + "Content-Length: 3\r\nConnection: close\r\n\r\nok\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    /// Everything until the end, said again; noted is how much it was.
    static void echo(SocketChannel connection, Consumer<String> noted) throws IOException {
        var all = new ByteArrayOutputStream();
        try {
            connection.socket().getInputStream().transferTo(all);
        } finally {
            noted.accept(all.size() + " bytes"); // what came counts, however it ended
        }
        connection.socket().getOutputStream().write(all.toByteArray());
    }
}
