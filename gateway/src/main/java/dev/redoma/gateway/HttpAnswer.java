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
final class HttpAnswer extends InputStream {
    private static final int HEADERS = 64 << 10;
    private static final int BUFFER = 64 << 10;

    private final InputStream in;
    private final Handler handler = new Handler();
    private final HttpParser parser = new HttpParser(handler, HEADERS, HttpCompliance.STRICT);
    private final byte[] bytes = new byte[BUFFER];
    private final ByteBuffer raw = ByteBuffer.wrap(bytes).limit(0);
    private @Nullable ByteBuffer content;

    HttpAnswer(Socket socket) throws IOException {
        this.in = socket.getInputStream();
    }

    /// Reads up to the end of the headers. False if the connection was closed before a byte came.
    boolean head() throws IOException {
        boolean any = false;
        while (!handler.headersComplete) {
            if (!raw.hasRemaining() && !fill()) {
                if (!any) {
                    return false;
                }
                throw new EOFException("the connection ended within the headers");
            }
            any = true;
            parse();
            if (handler.headersComplete && handler.status / 100 == 1) {
                throw new IOException("an answer " + handler.status + " that nobody asked for");
            }
        }
        return true;
    }

    private boolean fill() throws IOException {
        int n = in.read(bytes);
        if (n < 0) {
            return false;
        }
        raw.position(0).limit(n);
        return true;
    }

    private void parse() throws IOException {
        parser.parseNext(raw);
        var bad = handler.bad;
        if (bad != null) {
            throw new IOException("its answer is no HTTP that is taken: " + bad.getReason());
        }
    }

    int status() {
        return handler.status;
    }

    List<String> headers(String name) {
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
        while (content == null || !content.hasRemaining()) {
            content = null;
            if (handler.complete) {
                return -1;
            }
            int before = raw.remaining();
            parse(); // also where nothing has come: what has no content ends without more bytes
            if (content == null && !handler.complete) {
                more(before);
            }
        }
        int n = Math.min(length, content.remaining());
        content.get(into, at, n);
        return n;
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

        /// The piece lies in `bytes`, which are not filled again before it was taken.
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
