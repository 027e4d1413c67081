// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.gateway.egress.Requests.Ongoing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/// HTTP/1.1 inside of an intercepted connection: requests are read strictly, decided one by one, and written anew; answers go through as they come. Nothing is kept but a buffer for each way.
final class Http1 {
    private static final Duration REST_OF_A_BODY = Duration.ofSeconds(30);

    private final Decided decided;
    private final Ends ends;
    private final InputStream in;
    private final OutputStream out;
    private final OutputStream up;
    private final RequestReader requests;
    private final ResponseReader answers;
    private final InputStream upIn;

    Http1(Decided decided, Ends ends) throws IOException {
        this.decided = decided;
        this.ends = ends;
        this.in = ends.inside().getInputStream();
        this.out = ends.inside().getOutputStream();
        this.up = ends.outside().getOutputStream();
        this.upIn = ends.outside().getInputStream();
        this.requests = new RequestReader(in);
        this.answers = new ResponseReader(upIn);
    }

    /// Until either end has had enough.
    void serve() throws IOException {
        while (one()) {
            requests.next();
        }
    }

    private boolean one() throws IOException {
        RequestHead head;
        try {
            head = requests.head();
        } catch (RequestReader.Malformed malformed) {
            refuse("", decided.fault(400, RequestFault.MALFORMED, "", "", String.valueOf(malformed.getMessage())));
            return false;
        } catch (IOException gone) {
            if (!Link.closedByPeer(gone)) {
                throw gone;
            }
            return false; // nothing is under way: that is how programs leave a connection that was kept
        }
        if (head == null) {
            return false;
        }
        Optional<RequestFault> fault = RequestFault.of(head, decided.site());
        if (fault.isPresent()) {
            refuse(head.method(), decided.fault(403, fault.get(), head.method(), head.path(), fault.get().text()));
            return false;
        }
        return switch (decided.begin(head)) {
            case Decided.Outcome.Stay(Refused refused) -> {
                refuse(head.method(), refused);
                yield false;
            }
            case Decided.Outcome.Go(Ongoing request) -> {
                try {
                    yield carried(head, request);
                } finally {
                    decided.end(request);
                }
            }
        };
    }

    private boolean carried(RequestHead head, Ongoing request) throws IOException {
        boolean socket = WebSockets.asked(head);
        sendUp(head.onward(decided.site().authority(), socket ? List.of("Connection: Upgrade", "Upgrade: websocket") : head.hasBody() ? List.of("Connection: close") : List.of()), request);
        var body = new Upload(head, request);
        ResponseReader.Head answer;
        try {
            answer = answers.head(head.method().equals("HEAD"));
            while (answer.interim() && answer.status() != 101) {
                answers.body(none -> { });
                if (head.version() == HttpVersion.HTTP_1_1) {
                    sendDown(head(answer, List.of()), request);
                }
                answer = answers.head(head.method().equals("HEAD"));
            }
        } catch (ResponseReader.Malformed malformed) {
            if (decided.link().over()) {
                throw malformed; // not the origin's doing
            }
            refuse(head.method(), decided.failed("bad-answer", String.valueOf(malformed.getMessage())));
            return false;
        }
        if (answer.asFields().has("transfer-encoding") && !answer.asFields().all("transfer-encoding").stream().allMatch("chunked"::equalsIgnoreCase)) {
            refuse(head.method(), decided.failed("bad-answer", "the origin's answer has a transfer coding that is not chunked"));
            return false;
        }
        if (answer.status() == 101) {
            return upgraded(head, answer, socket, request);
        }
        boolean goesOn = answer(head, answer, request);
        return body.done() && goesOn;
    }

    /// True: the connection may carry another request.
    private boolean answer(RequestHead head, ResponseReader.Head answer, Ongoing request) throws IOException {
        boolean old = head.version() == HttpVersion.HTTP_1_0;
        RequestHead fields = answer.asFields();
        boolean chunked = fields.says("transfer-encoding", "chunked");
        boolean bare = head.method().equals("HEAD") || answer.status() == 204 || answer.status() == 304;
        boolean measured = bare || chunked || fields.has("content-length");
        // an origin that does not read bodies would take this one for its next request, which nobody decided
        boolean last = old || !measured || head.hasBody() || head.says("connection", "close") || fields.says("connection", "close") || answer.version() == HttpVersion.HTTP_1_0 && !fields.says("connection", "keep-alive");
        var more = new ArrayList<String>();
        boolean rechunk = chunked && !old && !bare;
        if (rechunk) {
            more.add("Transfer-Encoding: chunked");
        }
        if (last) {
            more.add("Connection: close");
        }
        var pieces = new Down(head(answer, more), rechunk, request);
        if (!answers.rest().hasRemaining()) {
            pieces.send();
        }
        answers.body(pieces::piece);
        if (!measured && ends.beneath().cut()) {
            decided.link().endUnsaid();
            throw new IOException("the end of the answer is not its origin's");
        }
        pieces.end();
        return !last;
    }

    private static byte[] head(ResponseReader.Head answer, List<String> more) {
        var lines = new ArrayList<String>();
        lines.add("HTTP/1.1 " + answer.status() + " " + answer.reason());
        var named = RequestHead.connectionNames(answer.fields());
        for (HttpField field : answer.fields()) {
            String name = field.getName().toLowerCase(java.util.Locale.ROOT);
            if (!RequestHead.hopByHop(name) && !named.contains(name) && !name.equals("transfer-encoding") && !name.equals("alt-svc") && !name.equals(Refused.FIELD)) {
                lines.add(field.getName() + ": " + (field.getValue() == null ? "" : field.getValue()));
            }
        }
        lines.addAll(more);
        return (String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    private boolean upgraded(RequestHead head, ResponseReader.Head answer, boolean asked, Ongoing request) throws IOException {
        answers.body(none -> { });
        if (!asked || !WebSockets.agreed(head, answer)) {
            refuse(head.method(), decided.failed("upgrade", "the origin changed to a protocol that nobody asked for"));
            return false;
        }
        sendDown(head(answer, List.of("Connection: Upgrade", "Upgrade: websocket")), request);
        new WebSockets(decided.link(), request).carry(requests.rest(), in, up, answers.rest(), upIn, out);
        return false;
    }

    private void sendUp(byte[] bytes, Ongoing request) throws IOException {
        decided.link().goingUp(bytes.length, request.by());
        up.write(bytes);
    }

    private void sendDown(byte[] bytes, Ongoing request) throws IOException {
        decided.link().goingDown(bytes.length, request.by());
        out.write(bytes);
    }

    static byte[] chunk(ByteBuffer piece) {
        byte[] head = (Integer.toHexString(piece.remaining()) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(head.length + piece.remaining() + 2).put(head).put(piece).put((byte) '\r').put((byte) '\n').array();
    }

    private static byte[] plain(ByteBuffer piece) {
        byte[] bytes = new byte[piece.remaining()];
        piece.get(bytes);
        return bytes;
    }

    /// An answer on its way in: its head goes with the first of its body where that is there already.
    private final class Down {
        private final boolean chunked;
        private final Ongoing request;
        private byte[] held;

        Down(byte[] head, boolean chunked, Ongoing request) {
            this.held = head;
            this.chunked = chunked;
            this.request = request;
        }

        void piece(ByteBuffer content) throws IOException {
            byte[] bytes = chunked ? chunk(content) : plain(content);
            hold(bytes);
            send();
        }

        private void hold(byte[] bytes) {
            byte[] all = java.util.Arrays.copyOf(held, held.length + bytes.length);
            System.arraycopy(bytes, 0, all, held.length, bytes.length);
            held = all;
        }

        void send() throws IOException {
            sendDown(held, request);
            held = new byte[0];
        }

        void end() throws IOException {
            if (chunked) {
                hold(answers.trailers().lastChunk());
            }
            if (held.length > 0) {
                send();
            }
        }
    }

    /// A request's body on its way out, beside the answer.
    private final class Upload {
        private final RequestHead head;
        private final Ongoing request;
        private final @Nullable Thread thread;
        private volatile boolean whole;

        Upload(RequestHead head, Ongoing request) throws IOException {
            this.head = head;
            this.request = request;
            if (head.has("content-length") || head.has("transfer-encoding")) {
                thread = Thread.ofVirtual().name("egress-upload").start(this::run);
            } else {
                requests.body(none -> { });
                whole = true;
                thread = null;
            }
        }

        private void run() {
            boolean chunked = head.has("transfer-encoding");
            try {
                requests.body(piece -> up(chunked ? chunk(piece) : plain(piece)));
                if (chunked) {
                    up(requests.trailers().lastChunk());
                }
                whole = true;
            } catch (UpstreamGone gone) {
                // its answer, if there is one, is on its way
            } catch (IOException gone) {
                decided.link().end("broken");
            } catch (RuntimeException failed) {
                decided.link().end("failed");
                throw failed;
            }
        }

        private void up(byte[] bytes) throws UpstreamGone {
            try {
                sendUp(bytes, request);
            } catch (IOException gone) {
                throw new UpstreamGone(gone);
            }
        }

        /// True: it went out whole. Where the answer was there first, the rest has its time.
        boolean done() throws IOException {
            try {
                if (thread != null && !whole && !thread.join(REST_OF_A_BODY)) {
                    decided.link().end("broken");
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", stopped);
            }
            return whole;
        }
    }

    private static final class UpstreamGone extends IOException {
        private static final long serialVersionUID = 1L;

        UpstreamGone(IOException why) {
            super(why);
        }
    }

    /// It is on record.
    private void refuse(String method, Refused refused) throws IOException {
        out.write(refused.http1(method));
        ends.drain(decided.link());
    }
}
