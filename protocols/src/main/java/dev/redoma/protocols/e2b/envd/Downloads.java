// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Files;
import dev.redoma.http.ByteRange;
import dev.redoma.http.Exchange;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.protocols.e2b.envd.Box.Asked;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/// `GET /files`: the bytes of one file with their length, or a range of them.
final class Downloads {
    private static final String BYTES = "application/octet-stream";
    /// Of files that say they are empty and are not (those of /proc), this much is read to tell a length.
    private static final int PSEUDO = 4 << 20;

    private final Files files;

    Downloads(Files files) {
        this.files = files;
    }

    void get(Exchange http, Asked asked) throws Exception {
        var path = http.query().get("path");
        if (path == null) {
            throw Problem.field("path", "is missing", "it as a query parameter");
        }
        var encoding = Encoding.of(http.header("Accept-Encoding"));
        var info = Users.known(asked.user(), () -> files.stat(asked.caller(), asked.id(), Paths.in(path), asked.user(), true));
        if (!info.type().equals("file")) {
            throw Problem.field("path", "'" + info.path() + "' is a " + info.type(), "a regular file");
        }
        http.set("Vary", "Accept-Encoding").set("Accept-Ranges", "bytes").set("Content-Disposition", disposition(Paths.name(info.path())))
                .set("X-Content-Type-Options", "nosniff").set("Last-Modified", java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME.format(info.modifiedAt().atOffset(java.time.ZoneOffset.UTC)));
        var range = ByteRange.of(http.header("Range"));
        if (http.head()) {
            http.stream(200, BYTES, info.size());
        } else if (range.isPresent()) {
            range(http, asked, path, info, range.get());
        } else if (encoding == Encoding.GZIP) {
            http.set("Content-Encoding", "gzip");
            read(asked, path, 0, 0, new Compressed(http));
        } else if (info.size() == 0) {
            pseudo(http, asked, path);
        } else {
            read(asked, path, 0, 0, new Plain(http, 200, -1));
        }
    }

    private void range(Exchange http, Asked asked, String path, FileInfo info, ByteRange range) throws Exception {
        long offset = range.offset(info.size());
        long length = range.length(info.size());
        if (length <= 0) {
            http.set("Content-Range", "bytes */" + info.size());
            throw Problem.of(Code.RANGE_NOT_SATISFIABLE, "The file has " + info.size() + " bytes.", "Ask for bytes that are there.").raise();
        }
        http.set("Content-Range", "bytes " + offset + "-" + (offset + length - 1) + "/" + info.size());
        read(asked, path, offset, length, new Plain(http, 206, length));
    }

    private void pseudo(Exchange http, Asked asked, String path) throws Exception {
        var whole = new ByteArrayOutputStream();
        files.read(asked.caller(), asked.id(), Paths.in(path), asked.user(), 0, PSEUDO, info -> Channels.newChannel(whole));
        if (whole.size() == PSEUDO) {
            throw Problem.of(Code.PAYLOAD_TOO_LARGE, "The file says that it is empty and has more than " + PSEUDO + " bytes.", "Copy it to a regular file first.").raise();
        }
        http.bytes(200, BYTES, whole.toByteArray());
    }

    private void read(Asked asked, String path, long offset, long length, Body body) throws Exception {
        try {
            files.read(asked.caller(), asked.id(), Paths.in(path), asked.user(), offset, length, body);
            body.whole();
        } catch (Enough grown) {
            // it grew while it was read; what was promised is out
        }
    }

    private static String disposition(String name) {
        var exact = new StringBuilder();
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            exact.append(c < 128 && (Character.isLetterOrDigit(c) || "!#$&+-.^_`|~".indexOf(c) >= 0) ? String.valueOf(c) : String.format("%%%02X", b & 0xff));
        }
        return "inline; filename=\"" + name.replaceAll("[^A-Za-z0-9._-]", "_") + "\"; filename*=UTF-8''" + exact;
    }

    /// What a client takes.
    private enum Encoding {
        IDENTITY, GZIP;

        static Encoding of(@org.jspecify.annotations.Nullable String accept) {
            if (accept == null || accept.isBlank()) {
                return IDENTITY;
            }
            double identity = quality(accept, "identity", 0.001); // unless it is refused it may be sent
            double gzip = quality(accept, "gzip", 0);
            if (identity > 0) {
                return IDENTITY;
            }
            if (gzip > 0) {
                return GZIP;
            }
            throw Problem.of(Code.NOT_ACCEPTABLE, "Nothing of '" + accept + "' is offered.", "Accept identity or gzip.").raise();
        }

        private static double quality(String accept, String coding, double otherwise) {
            double star = -1;
            for (var item : accept.split(",")) {
                var parts = item.strip().split(";");
                double q = 1;
                for (int i = 1; i < parts.length; i++) {
                    if (parts[i].strip().matches("q=[01](\\.[0-9]{0,3})?")) {
                        q = Double.parseDouble(parts[i].strip().substring(2));
                    }
                }
                if (parts[0].strip().equalsIgnoreCase(coding)) {
                    return q;
                }
                if (parts[0].strip().equals("*")) {
                    star = q;
                }
            }
            return star < 0 ? otherwise : star;
        }
    }

    /// Where the bytes go.
    private interface Body extends Files.Header {
        /// All bytes were taken.
        default void whole() throws IOException {}
    }

    /// As they are, and as many as were promised.
    private record Plain(Exchange http, int status, long length) implements Body {
        @Override
        public WritableByteChannel accept(FileInfo info) {
            long promised = length < 0 ? info.size() : length;
            return new Exactly(http.stream(status, BYTES, promised), promised);
        }
    }

    private static final class Compressed implements Body {
        private final Exchange http;
        private @org.jspecify.annotations.Nullable OutputStream gzip;

        Compressed(Exchange http) {
            this.http = http;
        }

        @Override
        public WritableByteChannel accept(FileInfo info) throws IOException {
            gzip = new GZIPOutputStream(http.stream(200, BYTES, -1), 64 << 10);
            return Channels.newChannel(gzip);
        }

        @Override
        public void whole() throws IOException {
            if (gzip instanceof GZIPOutputStream open) {
                open.finish();
            }
        }
    }

    private static final class Enough extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private static final class Exactly implements WritableByteChannel {
        private final WritableByteChannel out;
        private long left;

        Exactly(WritableByteChannel out, long left) {
            this.out = out;
            this.left = left;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            int n = bytes.remaining();
            if (n > left) {
                out.write(bytes.slice(bytes.position(), (int) left));
                left = 0;
                throw new Enough();
            }
            left -= n;
            return out.write(bytes);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
