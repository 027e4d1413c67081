// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/// Reads requests off a connection, one after the other, strictly: what two readers could take differently is none.
final class RequestReader {
    private static final int LONGEST_HEAD = 32 << 10;
    private static final int BUFFER = 16 << 10;

    private final InputStream in;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();
    private final List<HttpField> fields = new ArrayList<>();
    private final Trailers trailers = new Trailers();
    private final HttpParser parser = new HttpParser(new Handler(), LONGEST_HEAD, HttpCompliance.STRICT);
    private @Nullable String method;
    private @Nullable String target;
    private HttpVersion version = HttpVersion.HTTP_1_1;
    private boolean headDone;
    private boolean whole;
    private @Nullable String fault;
    private @Nullable Body body;
    private @Nullable IOException failed;

    /// Takes a piece of the body.
    interface Body {
        void piece(ByteBuffer content) throws IOException;
    }

    static final class Malformed extends IOException {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    RequestReader(InputStream in) {
        this.in = in;
    }

    /// Null where nothing was sent at all.
    @Nullable RequestHead head() throws IOException {
        while (!headDone) {
            if (!more()) {
                return null;
            }
        }
        return new RequestHead(java.util.Objects.requireNonNull(method), java.util.Objects.requireNonNull(target), version, fields);
    }

    /// After a whole request, for the one behind it.
    void next() {
        if (!whole) {
            throw new IllegalStateException("the request is not read to its end");
        }
        parser.reset();
        fields.clear();
        trailers.clear();
        method = null;
        target = null;
        body = null;
        headDone = false;
        whole = false;
    }

    /// Behind a body that was read to its end.
    Trailers trailers() {
        return trailers;
    }

    /// What was read beyond the request that is read to its end.
    ByteBuffer rest() {
        return buffer.slice();
    }

    /// The rest of the request, as it comes.
    void body(Body to) throws IOException {
        body = to;
        while (!whole) {
            more();
        }
    }

    private boolean more() throws IOException {
        if (!buffer.hasRemaining()) {
            if (headDone && ended()) {
                return true;
            }
            int n = in.read(buffer.array(), 0, buffer.capacity());
            if (n < 0) {
                if (method == null && fault == null) {
                    return false;
                }
                throw new Malformed("it ended early");
            }
            buffer.position(0).limit(n);
        }
        int before = buffer.remaining();
        boolean wasHead = headDone;
        parse();
        if (fault == null && buffer.remaining() == before && wasHead == headDone && !whole) {
            fault = "it cannot be read on";
        }
        if (fault != null) {
            throw new Malformed(fault);
        }
        return true;
    }

    /// Whether it is whole without another byte: the reader says so only when it is asked again.
    private boolean ended() throws IOException {
        parse();
        if (fault != null) {
            throw new Malformed(fault);
        }
        return whole;
    }

    /// What takes pieces of a body may fail: the parser would make another fault of that.
    private void parse() throws IOException {
        parser.parseNext(buffer);
        if (failed != null) {
            throw failed;
        }
    }

    private final class Handler implements HttpParser.RequestHandler {
        @Override
        public void startRequest(String verb, String uri, HttpVersion spoken) {
            method = verb;
            target = uri;
            version = spoken;
            if (spoken != HttpVersion.HTTP_1_1 && spoken != HttpVersion.HTTP_1_0) {
                fault = "it speaks another version than HTTP/1.1 or HTTP/1.0";
            }
        }

        @Override
        public void parsedHeader(HttpField field) {
            fields.add(field);
            if (version == HttpVersion.HTTP_1_0 && "transfer-encoding".equalsIgnoreCase(field.getName())) {
                fault = "it has a transfer coding that its version does not know";
            }
        }

        @Override
        public void parsedTrailer(HttpField field) {
            String much = trailers.add(field);
            if (much != null) {
                fault = much;
            }
        }

        @Override
        public boolean headerComplete() {
            headDone = true;
            return true; // the caller decides before anything of the body is read
        }

        @Override
        public boolean content(ByteBuffer content) {
            try {
                java.util.Objects.requireNonNull(body).piece(content);
            } catch (IOException e) {
                failed = e;
                return true;
            }
            return false;
        }

        @Override
        public boolean contentComplete() {
            return false;
        }

        @Override
        public boolean messageComplete() {
            whole = true;
            return true;
        }

        @Override
        public void badMessage(HttpException failure) {
            fault = failure.getCode() == HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 || failure.getCode() == HttpStatus.URI_TOO_LONG_414
                    ? "its head is longer than " + (LONGEST_HEAD >> 10) + " KiB"
                    : RequestFault.MALFORMED.text() + ": " + (failure.getReason() == null ? HttpStatus.getMessage(failure.getCode()) : failure.getReason());
        }

        @Override
        public void earlyEOF() {
            fault = "it ended early";
        }
    }
}
