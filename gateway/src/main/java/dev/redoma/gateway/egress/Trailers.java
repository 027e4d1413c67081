// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;

/// Fields behind a body. What says where a message ends, whom it is for or who sends it has no place there (RFC 9110, 6.5.1) and is left out.
final class Trailers {
    private static final int MOST = 64;
    private static final int LONGEST = 16 << 10;
    private static final Set<String> NOT_BEHIND = Set.of("transfer-encoding", "content-length", "content-encoding", "content-type", "content-range", "host", "authorization", "proxy-authorization",
            "set-cookie", "cookie", "cache-control", "expect", "max-forwards", "range", "te", "trailer", "connection", "keep-alive", "proxy-connection", "upgrade", "alt-svc", "www-authenticate",
            "proxy-authenticate", "age", "expires", "date", "location", "retry-after", "vary", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range");

    private final List<HttpField> fields = new ArrayList<>();
    private int length;

    /// Whether it has a place there.
    static boolean fit(HttpField field) {
        return !NOT_BEHIND.contains(field.getName().toLowerCase(Locale.ROOT));
    }

    void clear() {
        fields.clear();
        length = 0;
    }

    /// Null, or why they are too much.
    @Nullable String add(HttpField field) {
        length += field.getName().length() + (field.getValue() == null ? 0 : field.getValue().length()) + 4;
        if (length > LONGEST || fields.size() >= MOST) {
            return "its trailers are too long";
        }
        if (fit(field)) {
            fields.add(field);
        }
        return null;
    }

    /// The last chunk, which has no bytes, and these.
    byte[] lastChunk() {
        var text = new StringBuilder("0\r\n");
        fields.forEach(f -> text.append(f.getName()).append(": ").append(f.getValue() == null ? "" : f.getValue()).append("\r\n"));
        return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
