// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// As much HTTP/1.1 as a measurement needs, on streams: the same bytes for the floor and for ours, and little work of its own.
final class Talk {
    private static final int HEAD = 64 << 10;
    private static final int PIECE = 128 << 10;

    private final InputStream in;
    private final OutputStream out;

    Talk(InputStream in, OutputStream out) {
        this.in = new BufferedInputStream(in, 16 << 10);
        this.out = out;
    }

    /// First line and fields.
    record Head(String first, long length, boolean close) {}

    /// Null: the connection ended before a head began.
    @org.jspecify.annotations.Nullable Head head() throws IOException {
        var line = line();
        if (line == null) {
            return null;
        }
        long length = 0;
        boolean close = false;
        for (var field = line(); field == null || !field.isEmpty(); field = line()) {
            if (field == null) {
                throw new EOFException("the connection ended within a head");
            }
            var lower = field.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Long.parseLong(lower.substring(15).strip());
            } else if (lower.startsWith("connection:")) {
                close = lower.contains("close");
            } else if (lower.startsWith("transfer-encoding:")) {
                throw new IOException("a length was expected: " + field);
            }
        }
        return new Head(line, length, close);
    }

    private @org.jspecify.annotations.Nullable String line() throws IOException {
        var text = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0 || text.length() > HEAD) {
                return null;
            }
            if (c != '\r') {
                text.append((char) c);
            }
        }
        return text.toString();
    }

    void say(String head) throws IOException {
        out.write(head.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    void send(long bytes) throws IOException {
        var piece = new byte[PIECE];
        for (long left = bytes; left > 0; left -= piece.length) {
            out.write(piece, 0, (int) Math.min(piece.length, left));
        }
        out.flush();
    }

    void skip(long bytes) throws IOException {
        var piece = new byte[PIECE];
        for (long left = bytes; left > 0; ) {
            int n = in.read(piece, 0, (int) Math.min(piece.length, left));
            if (n < 0) {
                throw new EOFException(left + " bytes did not come");
            }
            left -= n;
        }
    }

    /// One request and its answer, which must be 200; how many bytes its content had.
    long get(String host, String path) throws IOException {
        say("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        return answer();
    }

    void put(String host, String path, long bytes) throws IOException {
        say("PUT " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: " + bytes + "\r\n\r\n");
        send(bytes);
        answer();
    }

    private long answer() throws IOException {
        var head = head();
        if (head == null || !head.first().startsWith("HTTP/1.1 200 ")) {
            throw new IOException("answered " + (head == null ? "nothing" : head.first()));
        }
        skip(head.length());
        return head.length();
    }

    /// As a server: `GET /N` is answered with N bytes, other requests when their content is here. Until the client has enough.
    void serve() throws IOException {
        for (var head = head(); head != null; head = head()) {
            skip(head.length());
            long bytes = head.first().startsWith("GET /") ? Long.parseLong(head.first().substring(5, head.first().indexOf(' ', 5))) : 0;
            say("HTTP/1.1 200 OK\r\nContent-Length: " + bytes + (head.close() ? "\r\nConnection: close" : "") + "\r\n\r\n");
            send(bytes);
            if (head.close()) {
                return;
            }
        }
    }
}
