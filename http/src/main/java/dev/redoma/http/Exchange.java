// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/// One request and its answer, in blocking calls. Answer once. Not thread-safe.
public final class Exchange {
    private static final long JSON_LIMIT = 8L << 20;

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final Map<String, String> parameters;
    private final AtomicInteger active;
    private @Nullable Query query;
    private @Nullable ResponseStream stream;
    private boolean answered;
    private @Nullable ErrorForm errors;
    private boolean upgraded;

    Exchange(Request request, Response response, Callback callback, Map<String, String> parameters, AtomicInteger active) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.parameters = parameters;
        this.active = active;
    }

    public String method() {
        return request.getMethod();
    }

    public boolean head() {
        return method().equals("HEAD");
    }

    public String path() {
        return request.getHttpURI().getCanonicalPath();
    }

    /// Path and query exactly as they were sent.
    public String target() {
        return request.getHttpURI().getPathQuery();
    }

    /// What the client calls this server: host and, where it said one, port; empty where it said nothing.
    public String authority() {
        var authority = request.getHttpURI().getAuthority();
        return authority == null ? "" : authority;
    }

    /// True if the connection to the client is encrypted.
    public boolean secure() {
        return request.getConnectionMetaData().isSecure(); // not what a request of HTTP/2 says of itself
    }

    /// Every header field in order, doubled ones too.
    public List<Map.Entry<String, String>> headers() {
        return request.getHeaders().stream().map(f -> Map.entry(f.getName(), f.getValue() == null ? "" : f.getValue())).toList();
    }

    /// Scheme and authority under which the client reached this server: `http://host:port`.
    public String origin() {
        var uri = request.getHttpURI();
        return uri.getScheme() + "://" + uri.getAuthority();
    }

    /// A parameter of the route's pattern, decoded.
    public String parameter(String name) {
        var value = parameters.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the route has no parameter " + name);
        }
        return value;
    }

    public Query query() {
        var present = query;
        if (present == null) {
            var values = new LinkedHashMap<String, List<String>>();
            Request.extractQueryParameters(request).forEach(f -> values.put(f.getName(), f.getValues()));
            query = present = new Query(values);
        }
        return present;
    }

    public @Nullable String header(String name) {
        return request.getHeaders().get(name);
    }

    public String remote() {
        return Request.getRemoteAddr(request);
    }

    /// The socket of this request's connection; HTTP/2 shares it among requests.
    public Optional<SocketChannel> socket() {
        return request.getConnectionMetaData().getConnection().getEndPoint().getTransport() instanceof SocketChannel socket
                ? Optional.of(socket) : Optional.empty();
    }

    /// Runs if this request fails before it was answered, on any thread.
    public void onFailure(Runnable action) {
        request.addFailureListener(failure -> action.run());
    }

    /// True if the client says that it takes this media type by name (`*/*` does not count).
    public boolean accepts(String mediaType) {
        var accept = header("Accept");
        return accept != null && accept.contains(mediaType);
    }

    // --- the request's body

    /// The body as it comes, at most that many bytes.
    public InputStream body(long max) {
        if (request.getLength() > max) {
            throw RequestBody.tooLarge(max);
        }
        return new RequestBody(request, max);
    }

    /// The length the client declared, or -1.
    public long bodyLength() {
        return request.getLength();
    }

    /// True if a body of unknown length is to come: chunked, or a stream of HTTP/2 that has not ended.
    public boolean bodied() {
        return request.getLength() < 0 && (request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)
                || request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2 && !List.of("GET", "HEAD", "OPTIONS").contains(method()));
    }

    public <T> T json(Class<T> type) throws IOException {
        var media = header("Content-Type");
        if (media != null && !media.startsWith("application/json")) {
            throw Problem.of(Code.UNSUPPORTED_MEDIA, "The body is " + media + ".", "Send application/json.").raise();
        }
        return Json.read(body(JSON_LIMIT), type);
    }

    // --- the answer

    public Exchange set(String header, String value) {
        response.getHeaders().put(header, value);
        return this;
    }

    public void json(int status, Object value) throws IOException {
        bytes(status, "application/json", Json.bytes(value));
    }

    public void problem(Problem problem) throws IOException {
        var after = problem.details().get("retryAfterSeconds");
        if (after != null) {
            set("Retry-After", after.toString());
        }
        if (problem.code() == Code.UNAUTHENTICATED) {
            set("WWW-Authenticate", "Bearer");
        }
        if (problem.details().get("allow") instanceof String allow) {
            set("Allow", allow);
        }
        if (errors == null) {
            bytes(problem.code().status(), Problems.MEDIA_TYPE, Json.bytes(Problems.wire(problem)));
        } else {
            bytes(errors.status(problem), "application/json", Json.bytes(errors.body(problem)));
        }
    }

    /// From now on whatever is refused is told in that form.
    public void errors(ErrorForm form) {
        errors = form;
    }

    public void bytes(int status, String mediaType, byte[] body) throws IOException {
        begin(status, mediaType, body.length);
        write(true, ByteBuffer.wrap(body));
    }

    public void nothing() throws IOException {
        answered = true;
        response.setStatus(204);
        write(true, ByteBuffer.allocate(0));
    }

    /// A body that is written as it comes; `length` -1 when not known. It ends when the endpoint returns.
    public ResponseStream stream(int status, String mediaType, long length) {
        begin(status, mediaType, length);
        if (length < 0 && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1) {
            // Else "Connection: close" would end it by closing, and a part would look like the whole.
            response.getHeaders().put(HttpHeader.TRANSFER_ENCODING, "chunked");
        }
        return stream = new ResponseStream(response, request.getComponents().getByteBufferPool());
    }

    /// Our own date cannot be removed, only replaced.
    private void field(Map.Entry<String, String> field) {
        if (field.getKey().equalsIgnoreCase(HttpHeader.DATE.asString())) {
            response.getHeaders().put(HttpHeader.DATE, field.getValue());
        } else {
            response.getHeaders().add(field.getKey(), field.getValue());
        }
    }

    /// As `stream`, with exactly these header fields and whatever length they say; none says that the end of the answer is its end. `length` -1
    /// where there is none among them.
    public ResponseStream stream(int status, List<Map.Entry<String, String>> headers, long length) {
        if (answered) {
            throw new IllegalStateException("answered twice");
        }
        answered = true;
        response.setStatus(status);
        headers.forEach(h -> response.getHeaders().remove(h.getKey()));
        headers.forEach(this::field);
        boolean body = !head() && status >= 200 && status != 204 && status != 304;
        if (body && length < 0 && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1) {
            response.getHeaders().put(HttpHeader.TRANSFER_ENCODING, "chunked");
        }
        return stream = new ResponseStream(response, request.getComponents().getByteBufferPool());
    }

    /// To be thrown where an answer must not look complete: what was sent stays a part, and the connection (or the stream of HTTP/2) is
    /// broken off.
    public static IOException brokenOff(Throwable cause) {
        return new ClientGone(cause);
    }

    /// Ends it now, whatever it waits for and whoever writes: the connection of HTTP/1.1, the stream of HTTP/2. Nothing of what was not sent yet is sent. For any thread.
    public void breakOff() {
        var connection = request.getConnectionMetaData();
        if (connection.getHttpVersion() != HttpVersion.HTTP_2) {
            connection.getConnection().getEndPoint().close(new ClientGone(new IOException("broken off")));
            return;
        }
        reset();
    }

    /// Of HTTP/2: the stream ends by an error that clients do not take for its good end, as some do where it is merely cancelled.
    void reset() {
        if (request.getConnectionMetaData().getConnection() instanceof HTTP2Connection connection) {
            Stream stream;
            try {
                stream = connection.getSession().getStream(Integer.parseInt(request.getId()));
            } catch (IllegalStateException ended) {
                return; // there is nothing left to break off
            }
            if (stream != null && !stream.isReset()) {
                stream.reset(new ResetFrame(stream.getId(), ErrorCode.INTERNAL_ERROR.code));
            }
        }
    }

    public EventStream events() throws IOException {
        set("Cache-Control", "no-store");
        var out = stream(200, "text/event-stream", -1);
        out.flush();
        return new EventStream(out);
    }

    private void begin(int status, String mediaType, long length) {
        if (answered) {
            throw new IllegalStateException("answered twice");
        }
        answered = true;
        response.setStatus(status);
        set("Content-Type", mediaType);
        if (length >= 0) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, length);
        }
    }

    private void write(boolean last, ByteBuffer bytes) throws IOException {
        try {
            org.eclipse.jetty.io.Content.Sink.write(response, last, bytes);
        } catch (IOException gone) {
            throw new ClientGone(gone);
        }
    }

    /// Turns the connection into a WebSocket, whose talk runs on a virtual thread of its own.
    public void webSocket(WebSocket.Talk talk) {
        if (!"websocket".equalsIgnoreCase(header("Upgrade")) && !request.getMethod().equals("CONNECT")) {
            throw Problem.of(Code.BAD_REQUEST, "This route is a WebSocket.", "Ask for an upgrade to websocket.").raise();
        }
        answered = true;
        upgraded = WebSocketUpgrade.of(request, response, callback, socket -> {
            active.incrementAndGet();
            try {
                talk.run(socket);
            } finally {
                active.decrementAndGet();
            }
        });
        if (!upgraded) {
            answered = false;
            throw Problem.of(Code.BAD_REQUEST, "The WebSocket handshake cannot be taken.", "Send a handshake of RFC 6455, version 13.").raise();
        }
    }

    /// True if this connection can become another protocol's: HTTP/1.1 that asks for it.
    public boolean wantsUpgrade() {
        return header("Upgrade") != null && request.getHeaders().contains(HttpHeader.CONNECTION, "upgrade")
                && request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1;
    }

    /// Answers 101 with these header fields; the connection then is the talk's, on a virtual thread of its own.
    public void tunnel(List<Map.Entry<String, String>> headers, Tunnel.Talk talk) throws IOException {
        if (answered) {
            throw new IllegalStateException("answered twice");
        }
        answered = true;
        response.setStatus(101);
        headers.forEach(h -> response.getHeaders().remove(h.getKey()));
        headers.forEach(this::field);
        var connector = request.getConnectionMetaData().getConnector();
        request.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, new JettyTunnel(request.getConnectionMetaData().getConnection().getEndPoint(), connector.getExecutor(), talk));
        write(true, ByteBuffer.allocate(0));
        upgraded = true;
        callback.succeeded();
    }

    // --- for the edge

    boolean upgraded() {
        return upgraded;
    }

    public boolean answered() {
        return answered;
    }

    /// True if something of an answer went out.
    public boolean begun() {
        return response.isCommitted();
    }

    /// Takes back an answer of which nothing went out yet, so that another can be given.
    public void takeBack() {
        if (!restart()) {
            throw new IllegalStateException("the answer is out");
        }
    }

    /// Takes back an answer of which nothing went out yet; false if something did.
    boolean restart() {
        release();
        if (response.isCommitted()) {
            return false;
        }
        response.reset();
        answered = false;
        return true;
    }

    void finish() throws IOException {
        if (stream != null) {
            stream.finish();
        }
    }

    void release() {
        if (stream != null) {
            stream.release();
            stream = null;
        }
    }
}
