// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Status line and headers of an answer; names without regard to case, repeated ones joined by a comma.
record Head(int status, Map<String, String> headers) {
    private static final String TLS_ALERT = "\u0015\u0003";
    private static final int MOST = 64 * 1024;

    static Head read(Connection.InputBuffer in) throws IOException {
        var budget = new int[] {MOST};
        var line = line(in, budget);
        if (!line.startsWith("HTTP/1.1 ") && !line.startsWith("HTTP/1.0 ") || line.length() < 12) {
            throw new IOException("the other side does not speak HTTP" + (line.startsWith(TLS_ALERT) ? " but TLS: its address begins with https://" : ""));
        }
        var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        if (line.startsWith("HTTP/1.0")) {
            headers.put("Connection", "close");
        }
        for (var field = line(in, budget); !field.isEmpty(); field = line(in, budget)) {
            add(headers, field);
        }
        return new Head(status(line), headers);
    }

    private static int status(String line) throws IOException {
        try {
            return Integer.parseInt(line.substring(9, 12));
        } catch (NumberFormatException e) {
            throw new IOException("an answer without a status", e);
        }
    }

    private static void add(Map<String, String> headers, String field) throws IOException {
        int colon = field.indexOf(':');
        if (colon <= 0) {
            throw new IOException("an answer with a malformed header");
        }
        headers.merge(field.substring(0, colon), field.substring(colon + 1).strip(), (a, b) -> a + ", " + b);
    }

    /// One line without its end; UTF-8.
    static String line(Connection.InputBuffer in, int[] budget) throws IOException {
        var bytes = new byte[128];
        int n = 0;
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the connection ended");
            }
            if (--budget[0] < 0) {
                throw new IOException("an answer's head is larger than " + MOST + " bytes");
            }
            if (n == bytes.length) {
                bytes = java.util.Arrays.copyOf(bytes, n * 2);
            }
            bytes[n++] = (byte) c;
        }
        return new String(bytes, 0, n > 0 && bytes[n - 1] == '\r' ? n - 1 : n, StandardCharsets.UTF_8);
    }

    @Nullable String get(String name) {
        return headers.get(name);
    }

    boolean says(String name, String token) {
        var value = headers.get(name);
        return value != null && value.toLowerCase(Locale.ROOT).contains(token);
    }

    /// -1 without one.
    long length() throws IOException {
        var text = headers.get("Content-Length");
        try {
            return text == null ? -1 : Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw new IOException("an answer with a malformed length", e);
        }
    }
}
