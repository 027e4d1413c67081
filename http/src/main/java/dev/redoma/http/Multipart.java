// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A `multipart/form-data` body (RFC 7578), part by part as it comes and in constant memory. Not thread-safe.
public final class Multipart {
    private static final Pattern BOUNDARY = Pattern.compile("(?i)^multipart/form-data\\s*;.*?boundary=(?:\"([^\"]{1,70})\"|([^;\\s]{1,70})).*$");
    private static final int HEADER = 16 << 10;
    private static final int ROOM = 64 << 10;

    private final InputStream in;
    private final byte[] delimiter;
    private final byte[] buffer = new byte[ROOM];
    private int from;
    private int to;
    private boolean ended;
    // first of all is the preamble
    private boolean inPart = true;
    private boolean last;

    private Multipart(InputStream in, String boundary) {
        this.in = in;
        this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.UTF_8);
        // the first delimiter has no line before it
        buffer[0] = '\r';
        buffer[1] = '\n';
        to = 2;
    }

    /// By the request's Content-Type; UNSUPPORTED_MEDIA where that is another.
    public static Multipart of(Exchange http, long max) {
        var media = http.header("Content-Type");
        var m = BOUNDARY.matcher(media == null ? "" : media);
        if (!m.matches()) {
            throw Problem.of(Code.UNSUPPORTED_MEDIA, "The body is " + media + ".", "Send multipart/form-data with a boundary.").raise();
        }
        return new Multipart(http.body(max), m.group(1) == null ? m.group(2) : m.group(1));
    }

    /// One part. `content` ends where the part does, and is of no use once the next part was asked for.
    public record Part(@Nullable String name, @Nullable String filename, InputStream content) {}

    /// The next part, null after the last; what was not read of the one before is skipped.
    public @Nullable Part next() throws IOException {
        var skip = new byte[ROOM];
        while (inPart && read(skip, 0, skip.length) >= 0) {
            // to its end
        }
        if (last) {
            return null;
        }
        String name = null;
        String filename = null;
        for (var line = line(); !line.isEmpty(); line = line()) {
            if (line.regionMatches(true, 0, "Content-Disposition:", 0, 20)) {
                name = parameter(line, "name");
                filename = parameter(line, "filename");
            }
        }
        inPart = true;
        return new Part(name, filename, new Content());
    }

    private static @Nullable String parameter(String line, String name) {
        var m = Pattern.compile("(?i);\\s*" + name + "=(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^;\\s]+))").matcher(line);
        if (!m.find()) {
            return null;
        }
        var value = m.group(1) == null ? m.group(2) : m.group(1).replaceAll("\\\\([\"\\\\])", "$1");
        return value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n").replace("%0d", "\r").replace("%0a", "\n");
    }

    private String line() throws IOException {
        var out = new ByteArrayOutputStream();
        while (true) {
            if (from == to && !fill()) {
                throw cutOff();
            }
            byte b = buffer[from++];
            if (b == '\n') {
                return out.toString(StandardCharsets.UTF_8).stripTrailing();
            }
            out.write(b);
            if (out.size() > HEADER) {
                throw Problem.of(Code.BAD_REQUEST, "A part's head is too long.", "Send at most " + HEADER + " bytes a line.").raise();
            }
        }
    }

    /// Of the present part; -1 at its end, after which the position is behind its delimiter.
    private int read(byte[] into, int offset, int length) throws IOException {
        if (!inPart) {
            return -1;
        }
        while (true) {
            int at = find();
            int plain = at < 0 ? Math.max(0, to - from - delimiter.length + 1) : at - from;
            if (plain > 0) {
                int n = Math.min(plain, length);
                System.arraycopy(buffer, from, into, offset, n);
                from += n;
                return n;
            }
            if (at >= 0) {
                from = at + delimiter.length;
                inPart = false;
                var rest = line();
                last = rest.startsWith("--");
                return -1;
            }
            if (!fill()) {
                throw cutOff();
            }
        }
    }

    private int find() {
        outer:
        for (int i = from; i + delimiter.length <= to; i++) {
            for (int j = 0; j < delimiter.length; j++) {
                if (buffer[i + j] != delimiter[j]) {
                    continue outer;
                }
            }
            return i;
        }
        return -1;
    }

    private boolean fill() throws IOException {
        if (ended) {
            return false;
        }
        if (from > 0) {
            System.arraycopy(buffer, from, buffer, 0, to - from);
            to -= from;
            from = 0;
        }
        int n = in.read(buffer, to, buffer.length - to);
        if (n < 0) {
            ended = true;
            // a last delimiter need not end with a line
            buffer[to++] = '\n';
            return true;
        }
        to += n;
        return true;
    }

    private static RedomaException cutOff() {
        return Problem.of(Code.BAD_REQUEST, "The multipart body is cut off.", "Send it whole, with its last boundary.").raise();
    }

    private final class Content extends InputStream {
        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return length == 0 ? 0 : Multipart.this.read(into, offset, length);
        }
    }
}
