// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Files;
import dev.redoma.http.Exchange;
import dev.redoma.http.Multipart;
import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.protocols.e2b.envd.Box.Asked;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/// `POST /files`: one body, or a form of several files.
final class Uploads {
    private static final String METADATA = "x-metadata-";
    private static final int KEY = 246;
    private static final int ALL = 4096;

    private final Files files;
    private final long largest;

    Uploads(Files files, long largest) {
        this.files = files;
        this.largest = largest;
    }

    void post(Exchange http, Asked asked) throws Exception {
        var how = new Files.NewFile(null, metadata(http), Entries.METADATA);
        var media = http.header("Content-Type");
        var path = http.query().get("path");
        var written = new ArrayList<Map<String, Object>>();
        if (media != null && media.regionMatches(true, 0, "multipart/form-data", 0, 19)) {
            form(http, asked, path, how, written);
        } else if (media != null && media.regionMatches(true, 0, "application/octet-stream", 0, 24)) {
            if (path == null || path.isEmpty()) {
                throw Problem.field("path", "is missing", "it as a query parameter");
            }
            written.add(write(asked, path, how, plain(http)));
        } else {
            throw Problem.of(Code.BAD_REQUEST, "The body is " + media + ".", "Send multipart/form-data or application/octet-stream.").raise();
        }
        http.json(200, written);
    }

    private InputStream plain(Exchange http) throws IOException {
        var encoding = http.header("Content-Encoding");
        var body = http.body(largest);
        if (encoding == null || encoding.equalsIgnoreCase("identity")) {
            return body;
        }
        if (!encoding.equalsIgnoreCase("gzip")) {
            throw Problem.of(Code.BAD_REQUEST, "The encoding " + encoding + " is not known.", "Send gzip or nothing.").raise();
        }
        try {
            return new Bounded(new GZIPInputStream(body, 64 << 10), largest);
        } catch (ZipException broken) {
            throw Problem.of(Code.BAD_REQUEST, "The body is no gzip.", "Send what Content-Encoding says.").raise(broken);
        }
    }

    private void form(Exchange http, Asked asked, @Nullable String path, Files.NewFile how, List<Map<String, Object>> written) throws Exception {
        var parts = Multipart.of(http, largest);
        var targets = new HashSet<String>();
        for (var part = parts.next(); part != null; part = parts.next()) {
            if (!"file".equals(part.name())) {
                continue;
            }
            var target = path != null && !path.isEmpty() ? path : part.filename();
            if (target == null || target.isEmpty()) {
                throw Problem.field("file", "has neither a file name nor a path", "a file name, or the query parameter path");
            }
            if (!targets.add(Paths.clean(Paths.in(target)))) {
                throw Problem.field("file", "'" + target + "' is there twice", "each target once");
            }
            written.add(write(asked, target, how, part.content()));
        }
        if (written.isEmpty()) {
            throw Problem.field("file", "is not among the parts", "parts of the name file");
        }
    }

    private Map<String, Object> write(Asked asked, String path, Files.NewFile how, InputStream data) throws Exception {
        FileInfo info = Users.known(asked.user(), () -> files.writeWith(asked.caller(), asked.id(), Paths.in(path), asked.user(), how, data));
        var told = new LinkedHashMap<String, Object>();
        var clean = Paths.clean(info.path());
        told.put("path", clean);
        told.put("name", Paths.name(clean));
        told.put("type", "file");
        var metadata = Entries.metadata(info);
        if (!metadata.isEmpty()) {
            told.put("metadata", metadata);
        }
        return told;
    }

    private static Map<String, String> metadata(Exchange http) {
        var all = new LinkedHashMap<String, String>();
        int size = 0;
        for (var header : http.headers()) {
            var name = header.getKey().toLowerCase(Locale.ROOT);
            if (!name.startsWith(METADATA)) {
                continue;
            }
            var key = name.substring(METADATA.length());
            if (key.isEmpty() || key.length() > KEY) {
                throw Problem.field(name, "has a key of " + key.length() + " bytes", "1 to " + KEY + " bytes");
            }
            all.put(Entries.METADATA + key, header.getValue());
            size += key.length() + header.getValue().getBytes(StandardCharsets.UTF_8).length;
        }
        if (size > ALL) {
            throw Problem.field("X-Metadata", "has " + size + " bytes together", "at most " + ALL + " bytes");
        }
        return all;
    }

    /// What was decompressed is bounded as well.
    private static final class Bounded extends FilterInputStream {
        private final long most;
        private long seen;

        Bounded(InputStream in, long most) {
            super(in);
            this.most = most;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int n;
            try {
                n = super.read(into, offset, length);
            } catch (ZipException | java.io.EOFException broken) {
                throw new IOException(broken.getMessage(), Problem.of(Code.BAD_REQUEST, "The gzip body is broken or cut off.", "Send it whole.").raise(broken));
            }
            seen += Math.max(0, n);
            if (seen > most) {
                throw new IOException("over the limit", Problem.of(Code.PAYLOAD_TOO_LARGE, "The file is larger than " + new Bytes(most) + ".", "Send less.").raise());
            }
            return n;
        }
    }
}
