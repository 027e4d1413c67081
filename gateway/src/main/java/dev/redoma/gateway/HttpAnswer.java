// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/// One HTTP/1.1 response, read by blocking reads through a strict parser. One thread.
public final class HttpAnswer extends InputStream {
    private static final int HEADERS = 64 << 10;
    private static final int BUFFER = 64 << 10;
    private static final int INTERIM = 16;

    private final Input in;
    private final Handler handler = new Handler();
    private final HttpParser parser;
    private final ByteBuffer raw;
    private @Nullable ByteBuffer content;
    private boolean bare;

    HttpAnswer(Socket socket) throws IOException {
        this(of(socket.getInputStream()), ByteBuffer.allocate(BUFFER), HttpCompliance.STRICT);
    }

    /// What comes in is read into this buffer.
    public HttpAnswer(Input in, ByteBuffer buffer, HttpCompliance compliance) {
        this.in = in;
        this.raw = buffer.clear().limit(0);
        this.parser = new HttpParser(handler, 2 * (HEADERS + buffer.capacity()), compliance); // our own bound is met first
    }

    /// Where an answer comes from: some bytes at least, or -1 at the end.
    @FunctionalInterface
    public interface Input {
        int read(ByteBuffer into) throws IOException;
    }

    private static Input of(InputStream stream) {
        return into -> {
            int n = stream.read(into.array(), into.position(), into.remaining());
            into.position(into.position() + Math.max(0, n));
            return n;
        };
    }

    /// The answer is one to HEAD: whatever it says, no content follows.
    public void withoutContent() {
        bare = true;
        parser.setHeadResponse(true);
    }

    /// Reads over what is only told meanwhile (100 to 199 but 101), then as `head`.
    public boolean finalHead() throws IOException {
        for (int i = 0; i < INTERIM; i++) {
            boolean any = headOf();
            if (!any || handler.status / 100 != 1 || handler.status == 101) {
                return any;
            }
            parser.reset();
            parser.setHeadResponse(bare);
            handler.again();
        }
        throw new IOException("more than " + INTERIM + " answers before the answer");
    }

    /// Reads up to the end of the headers. False if the connection was closed before a byte came.
    boolean head() throws IOException {
        boolean any = headOf();
        if (any && handler.status / 100 == 1) {
            throw new IOException("an answer " + handler.status + " that nobody asked for");
        }
        return any;
    }

    private boolean headOf() throws IOException {
        boolean any = false;
        long seen = 0;
        while (!handler.headersComplete) {
            if (!raw.hasRemaining() && !fill()) {
                if (!any) {
                    return false;
                }
                throw new EOFException("the connection ended within the headers");
            }
            any = true;
            int before = raw.remaining();
            parse();
            seen += before - raw.remaining();
            if (!handler.headersComplete && seen > HEADERS) {
                throw new IOException("its head has more than " + HEADERS + " bytes");
            }
        }
        return true;
    }

    private boolean fill() throws IOException {
        raw.clear();
        int n = in.read(raw);
        raw.flip();
        return n >= 0;
    }

    private void parse() throws IOException {
        parser.parseNext(raw);
        var bad = handler.bad;
        if (bad != null) {
            throw new IOException("its answer is no HTTP that is taken: " + bad.getReason());
        }
    }

    public List<HttpField> fields() {
        return handler.fields;
    }

    /// What came after the head, where that was the last of HTTP.
    public ByteBuffer rest() {
        return raw;
    }

    public int status() {
        return handler.status;
    }

    public List<String> headers(String name) {
        return handler.fields.stream().filter(f -> f.getName().equalsIgnoreCase(name)).map(f -> f.getValue() == null ? "" : f.getValue()).toList();
    }

    /// True if the connection may serve another request.
    boolean reusable() {
        boolean close = headers("Connection").stream().anyMatch(v -> v.toLowerCase(Locale.ROOT).contains("close"));
        return handler.complete && !close && !raw.hasRemaining() && (content == null || !content.hasRemaining());
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        var piece = piece();
        if (piece == null) {
            return -1;
        }
        int n = Math.min(length, piece.remaining());
        piece.get(into, at, n);
        return n;
    }

    /// True if the next piece, or the end, is there without waiting: what was read already may be no more than the end of a chunk.
    public boolean ready() throws IOException {
        while (content == null || !content.hasRemaining()) {
            content = null;
            if (handler.complete) {
                return true;
            }
            int before = raw.remaining();
            if (before == 0) {
                return false;
            }
            parse();
            if (content == null && !handler.complete && raw.remaining() == before) {
                return false;
            }
        }
        return true;
    }

    /// The next of its content, to be taken before it is asked again; null at the end.
    public @Nullable ByteBuffer piece() throws IOException {
        while (content == null || !content.hasRemaining()) {
            content = null;
            if (handler.complete) {
                return null;
            }
            int before = raw.remaining();
            parse(); // also where nothing has come: what has no content ends without more bytes
            if (content == null && !handler.complete) {
                more(before);
            }
        }
        return content;
    }

    private void more(int before) throws IOException {
        if (raw.hasRemaining()) {
            if (raw.remaining() == before) {
                throw new IOException("its answer goes on as none does");
            }
            return;
        }
        if (fill()) {
            return;
        }
        parser.atEOF();
        parse();
        if (!handler.complete || handler.early) {
            throw new EOFException("the connection ended within the answer");
        }
    }

    private final class Handler implements HttpParser.ResponseHandler {
        private final List<HttpField> fields = new ArrayList<>();
        private int status;
        private boolean headersComplete;
        private boolean complete;
        private boolean early;
        private @Nullable HttpException bad;

        void again() {
            fields.clear();
            headersComplete = false;
            complete = false;
        }

        @Override
        public void startResponse(HttpVersion version, int code, String reason) {
            status = code;
        }

        @Override
        public void parsedHeader(HttpField field) {
            fields.add(field);
        }

        @Override
        public boolean headerComplete() {
            headersComplete = true;
            return true;
        }

        /// The piece lies in `raw`, which is not filled again before it was taken.
        @Override
        public boolean content(ByteBuffer piece) {
            content = piece.slice();
            piece.position(piece.limit());
            return true;
        }

        @Override
        public boolean contentComplete() {
            return false;
        }

        @Override
        public boolean messageComplete() {
            complete = true;
            return true;
        }

        @Override
        public void earlyEOF() {
            early = true;
        }

        @Override
        public void badMessage(HttpException failure) {
            bad = failure;
        }
    }
}
