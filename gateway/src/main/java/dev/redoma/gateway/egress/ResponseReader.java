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
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/// Reads an origin's answers off a connection, one after the other. Where one ends has to be known, for the gateway may put one of its own behind it.
final class ResponseReader {
    private static final int LONGEST_HEAD = 64 << 10;
    private static final int BUFFER = 16 << 10;
    private static final int FINAL = 200;

    private final InputStream in;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();
    private final List<HttpField> fields = new ArrayList<>();
    private final Trailers trailers = new Trailers();
    private final HttpParser parser = new HttpParser(new Handler(), LONGEST_HEAD, HttpCompliance.RFC9110);
    private HttpVersion version = HttpVersion.HTTP_1_1;
    private int status;
    private String reason = "";
    private boolean headDone;
    /// Something of this answer has come.
    private boolean begun;
    /// Another has come whole before.
    private boolean kept;
    private boolean whole;
    private boolean ended;
    private @Nullable String fault;
    private RequestReader.@Nullable Body body;
    private @Nullable IOException failed;

    ResponseReader(InputStream in) {
        this.in = in;
    }

    /// The head of an answer that none is. Where a connection that was kept just ended there is no answer at all, and programs know what to do.
    static final class Malformed extends IOException {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    /// What an origin says before the body of its answer.
    record Head(int status, String reason, HttpVersion version, List<HttpField> fields) {
        Head {
            fields = List.copyOf(fields);
        }

        RequestHead asFields() {
            return new RequestHead("", "", version, fields);
        }

        boolean interim() {
            return status < 200;
        }
    }

    /// `toHead`: the request was HEAD, whose answer has no body.
    Head head(boolean toHead) throws IOException {
        parser.reset();
        parser.setHeadResponse(toHead);
        fields.clear();
        trailers.clear();
        headDone = false;
        begun = buffer.hasRemaining();
        kept |= whole && status >= FINAL;
        status = 0;
        whole = false;
        while (!headDone) {
            more();
        }
        return new Head(status, reason, version, fields);
    }

    /// The end of the body is the end of the connection.
    boolean untilEnd() {
        return ended;
    }

    void body(RequestReader.Body to) throws IOException {
        body = to;
        while (!whole) {
            more();
        }
    }

    /// Behind a body that was read to its end.
    Trailers trailers() {
        return trailers;
    }

    /// What was read beyond the answer that is read to its end.
    ByteBuffer rest() {
        return buffer.slice();
    }

    private void more() throws IOException {
        if (!buffer.hasRemaining() && !ended) {
            if (headDone) {
                parse(); // what is whole without another byte says so only when it is asked again
            }
            if (whole && fault == null) {
                return;
            }
            int n = read();
            begun |= n > 0;
            buffer.position(0).limit(Math.max(0, n));
            if (n < 0) {
                ended = true;
                if (headDone) {
                    parser.atEOF();
                } else {
                    fault = "it ended early";
                }
            }
        }
        int before = buffer.remaining();
        boolean wasHead = headDone;
        parse();
        if (fault == null && buffer.remaining() == before && wasHead == headDone && !whole) {
            fault = ended ? "it ended early" : "it cannot be read on";
        }
        if (fault != null) {
            String told = "the origin's answer is malformed: " + fault;
            throw headDone || ended && !due() ? new IOException(told) : new Malformed(told);
        }
    }

    /// Nobody but the origin can have ended what has begun, or has just been made for this.
    private boolean due() {
        return begun || !kept;
    }

    private int read() throws IOException {
        try {
            return in.read(buffer.array(), 0, buffer.capacity());
        } catch (IOException broken) {
            if (headDone || !due()) {
                throw broken;
            }
            throw new Malformed("the origin broke the connection off instead of an answer");
        }
    }

    /// What takes pieces of a body may fail: the parser would make another fault of that.
    private void parse() throws IOException {
        parser.parseNext(buffer);
        if (failed != null) {
            throw failed;
        }
    }

    private final class Handler implements HttpParser.ResponseHandler {
        @Override
        public void startResponse(HttpVersion spoken, int code, String phrase) {
            version = spoken;
            status = code;
            reason = phrase == null ? "" : phrase;
            if (spoken != HttpVersion.HTTP_1_1 && spoken != HttpVersion.HTTP_1_0) {
                fault = "version";
            }
        }

        @Override
        public void parsedHeader(HttpField field) {
            fields.add(field);
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
            return true;
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
            fault = String.valueOf(failure.getReason());
        }

        @Override
        public void earlyEOF() {
            fault = "it ended early";
        }
    }
}
