// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.gateway.egress.Requests.Ongoing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MetaData;

/// What a program inside says over HTTP/2: requests are decided, the rest follows those that were admitted.
final class Http2Up {
    private static final int REFUSED_STREAM = 7;
    private static final long UNLIKE = -2;

    private final Http2 connection;
    private final FieldBlock blocks = new FieldBlock();
    private final Http2.Idle idle = new Http2.Idle();
    private int newest;

    Http2Up(Http2 connection) {
        this.connection = connection;
    }

    /// False: it ended with a refusal that the program is to read.
    boolean serve() throws IOException {
        boolean first = true;
        for (Frame frame = Frame.read(connection.in); frame != null; frame = Frame.read(connection.in)) {
            if (first && frame.type() != Frame.SETTINGS) {
                throw new Frame.Broken("it does not begin with settings");
            }
            first = false;
            connection.decided.link().active();
            if (!handle(frame)) {
                return false;
            }
        }
        return true;
    }

    /// False: the connection ends.
    private boolean handle(Frame frame) throws IOException {
        boolean known = connection.stream(frame.stream()) != null;
        switch (frame.type()) {
            case Frame.DATA -> data(frame);
            case Frame.HEADERS -> {
                return fields(frame);
            }
            case Frame.RST_STREAM -> {
                if (known) {
                    connection.outward(List.of(Frame.number(Frame.RST_STREAM, frame.stream(), frame.number())));
                    connection.gone(frame.stream());
                } else {
                    connection.unrefuse(frame.stream());
                }
            }
            case Frame.SETTINGS -> {
                idle.one();
                Frame kept = Http2.settings(frame, true);
                connection.windows(kept);
                control(kept);
            }
            case Frame.PING, Frame.GOAWAY -> {
                idle.one();
                control(frame);
            }
            case Frame.WINDOW_UPDATE -> window(frame, known);
            case Frame.PUSH_PROMISE, Frame.CONTINUATION -> throw new Frame.Broken("a frame that was not agreed upon");
            default -> idle.one(); // priorities and extensions
        }
        return true;
    }

    /// Of the whole connection. It counts, for it may tell something.
    private void control(Frame frame) throws IOException {
        connection.decided.link().controlUp(frame.payload().length, connection.decided.connection());
        connection.outward(List.of(frame));
    }

    /// Something of the gateway's own, to the program.
    private void own(List<Frame> frames) throws IOException {
        connection.awaitGreeting();
        connection.inward(frames);
    }

    private void window(Frame frame, boolean known) throws IOException {
        int more = frame.number();
        long rest = connection.window(frame.stream(), more);
        if (frame.stream() == 0 ? rest > 0 || more == 0 : known) {
            connection.outward(List.of(Frame.number(Frame.WINDOW_UPDATE, frame.stream(), (int) rest)));
        }
    }

    private void data(Frame frame) throws IOException {
        if (frame.content().length == 0 && !frame.has(Frame.END_STREAM)) {
            idle.one();
        }
        var stream = connection.stream(frame.stream());
        if (stream == null) {
            // it was refused, or has ended: nobody else gives the program its window back
            if (frame.payload().length > 0) {
                own(List.of(Frame.number(Frame.WINDOW_UPDATE, 0, frame.payload().length)));
            }
            return;
        }
        if (!stream.came(frame.content().length, frame.has(Frame.END_STREAM))) {
            unlike(frame, stream.request);
            return;
        }
        connection.decided.link().goingUp(frame.payload().length, stream.request.by());
        connection.outward(List.of(new Frame(Frame.DATA, frame.flags() & (Frame.END_STREAM | Frame.PADDED), frame.stream(), frame.payload())));
        if (frame.has(Frame.END_STREAM)) {
            connection.half(frame.stream(), true);
        }
    }

    /// A body that is not as long as its request said. The origin has had no end of it.
    private void unlike(Frame frame, Ongoing request) throws IOException {
        connection.decided.fault(400, RequestFault.LENGTH, request.method(), request.path(), RequestFault.LENGTH.text());
        connection.outward(List.of(Frame.number(Frame.RST_STREAM, frame.stream(), Frame.PROTOCOL_ERROR)));
        own(List.of(Frame.number(Frame.RST_STREAM, frame.stream(), Frame.PROTOCOL_ERROR)));
        if (frame.type() == Frame.DATA && frame.payload().length > 0) {
            own(List.of(Frame.number(Frame.WINDOW_UPDATE, 0, frame.payload().length)));
        }
        connection.gone(frame.stream());
    }

    private boolean fields(Frame frame) throws IOException {
        MetaData said = blocks.read(frame, connection.in).said();
        int id = frame.stream();
        boolean last = frame.has(Frame.END_STREAM);
        var stream = connection.stream(id);
        if (stream != null) {
            return trailers(frame, said, stream);
        }
        if (id <= newest) {
            return true; // of one that has ended meanwhile
        }
        if (id % 2 == 0) {
            throw new Frame.Broken("a stream that is not the program's to open");
        }
        newest = id;
        if (!(said instanceof MetaData.Request request)) {
            connection.refuse(id, "", last, false, connection.decided.fault(400, RequestFault.MALFORMED, "", "", RequestFault.MALFORMED.text()));
            return true;
        }
        if (connection.full()) {
            own(List.of(Frame.number(Frame.RST_STREAM, id, REFUSED_STREAM)));
            return true;
        }
        return request(id, request, last);
    }

    private boolean trailers(Frame frame, @org.jspecify.annotations.Nullable MetaData said, Http2.Stream stream) throws IOException {
        if (said == null || !frame.has(Frame.END_STREAM) || said instanceof MetaData.Request) {
            throw new Frame.Broken("trailers that are none");
        }
        if (!stream.came(0, true)) {
            unlike(frame, stream.request);
            return true;
        }
        connection.fieldsOutward(frame.stream(), true, Map.of(), said.getHttpFields().stream().filter(Trailers::fit).toList(), stream.request);
        connection.half(frame.stream(), true);
        return true;
    }

    private boolean request(int id, MetaData.Request said, boolean last) throws IOException {
        String method = said.getMethod();
        String target = said.getHttpURI().getPathQuery();
        String authority = said.getHttpURI().getAuthority();
        if (target == null || authority == null || !"https".equals(said.getHttpURI().getScheme())) {
            connection.refuse(id, method, last, false, connection.decided.fault(400, RequestFault.MALFORMED, method, "", "it is no request of HTTPS"));
            return true;
        }
        var fields = new ArrayList<HttpField>();
        said.getHttpFields().forEach(fields::add);
        // As the same request would be in HTTP/1.1: what no request must be is said in one place.
        var asOne = new ArrayList<HttpField>(fields);
        asOne.removeIf(f -> f.getName().equalsIgnoreCase("host") && connection.decided.site().isMeantBy(String.valueOf(f.getValue())));
        asOne.add(new HttpField("Host", authority));
        var head = new RequestHead(method, target, org.eclipse.jetty.http.HttpVersion.HTTP_2, asOne);
        long due = last ? 0 : -1;
        for (String length : head.all("content-length")) {
            boolean first = head.all("content-length").size() == 1 && length.matches("[0-9]{1,18}");
            due = first && (!last || Long.parseLong(length) == 0) ? Long.parseLong(length) : UNLIKE;
        }
        Optional<RequestFault> fault = due == UNLIKE ? Optional.of(RequestFault.LENGTH) : said.getHttpURI().getFragment() != null ? Optional.of(RequestFault.TARGET) : RequestFault.of(head, connection.decided.site());
        if (fault.isPresent()) {
            connection.refuse(id, method, last, true, connection.decided.fault(403, fault.get(), method, head.path(), fault.get().text()));
            own(List.of(Frame.away(id)));
            return false;
        }
        switch (connection.decided.begin(head)) {
            case Decided.Outcome.Stay(Refused refused) -> connection.refuse(id, method, last, false, refused);
            case Decided.Outcome.Go(Ongoing request) -> {
                connection.admit(id, request, due);
                var pseudo = new LinkedHashMap<String, String>();
                pseudo.put(":method", method);
                pseudo.put(":scheme", "https");
                pseudo.put(":authority", connection.decided.site().authority());
                pseudo.put(":path", target);
                fields.removeIf(f -> f.getName().equalsIgnoreCase("host"));
                connection.fieldsOutward(id, last, pseudo, fields, request);
                if (last) {
                    connection.half(id, true);
                }
            }
        }
        return true;
    }
}
