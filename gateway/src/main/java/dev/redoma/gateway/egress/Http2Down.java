// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.MetaData;

/// What an origin says over HTTP/2, to the program inside.
final class Http2Down {
    private final Http2 connection;
    private final FieldBlock blocks = new FieldBlock();
    private final Http2.Idle idle = new Http2.Idle();

    Http2Down(Http2 connection) {
        this.connection = connection;
    }

    void serve() throws IOException {
        boolean first = true;
        for (Frame frame = Frame.read(connection.upIn); frame != null; frame = Frame.read(connection.upIn)) {
            if (first && frame.type() != Frame.SETTINGS) {
                throw new Frame.Broken("it does not begin with settings");
            }
            first = false;
            connection.decided.link().active();
            handle(frame);
            connection.greeted();
        }
    }

    private void handle(Frame frame) throws IOException {
        switch (frame.type()) {
            case Frame.DATA -> data(frame);
            case Frame.HEADERS -> fields(frame);
            case Frame.RST_STREAM -> {
                if (connection.stream(frame.stream()) != null) {
                    connection.inward(List.of(Frame.number(Frame.RST_STREAM, frame.stream(), frame.number())));
                    connection.gone(frame.stream());
                }
            }
            case Frame.SETTINGS -> {
                idle.one();
                connection.inward(List.of(Http2.settings(frame, false)));
            }
            case Frame.PING, Frame.GOAWAY -> {
                idle.one();
                connection.inward(List.of(frame));
            }
            case Frame.WINDOW_UPDATE -> {
                if (frame.stream() == 0 || connection.stream(frame.stream()) != null) {
                    connection.inward(List.of(Frame.number(Frame.WINDOW_UPDATE, frame.stream(), frame.number())));
                }
            }
            case Frame.PUSH_PROMISE, Frame.CONTINUATION -> throw new Frame.Broken("a frame that was not agreed upon");
            default -> { } // priorities, other origins, other ways to this one: of no use here
        }
    }

    private void data(Frame frame) throws IOException {
        var stream = connection.stream(frame.stream());
        if (stream == null) {
            // the program has ended it: the origin gets its window back, as the program would have given it
            if (frame.payload().length > 0) {
                connection.outward(List.of(Frame.number(Frame.WINDOW_UPDATE, 0, frame.payload().length)));
            }
            return;
        }
        connection.decided.link().goingDown(frame.payload().length, stream.request.by());
        connection.dataInward(new Frame(Frame.DATA, frame.flags() & (Frame.END_STREAM | Frame.PADDED), frame.stream(), frame.payload()));
        if (frame.has(Frame.END_STREAM)) {
            connection.half(frame.stream(), false);
        }
    }

    private void fields(Frame frame) throws IOException {
        MetaData said = blocks.read(frame, connection.upIn).said();
        var stream = connection.stream(frame.stream());
        if (stream == null) {
            return;
        }
        if (said == null) {
            connection.outward(List.of(Frame.number(Frame.RST_STREAM, frame.stream(), Frame.PROTOCOL_ERROR)));
            connection.inward(List.of(Frame.number(Frame.RST_STREAM, frame.stream(), Frame.PROTOCOL_ERROR)));
            connection.gone(frame.stream());
            return;
        }
        Map<String, String> pseudo = new LinkedHashMap<>();
        if (said instanceof MetaData.Response response) {
            pseudo.put(":status", String.valueOf(response.getStatus()));
        }
        boolean trailers = pseudo.isEmpty();
        var fields = said.getHttpFields().stream().filter(f -> trailers ? Trailers.fit(f) : !f.getName().equalsIgnoreCase("alt-svc") && !f.getName().equalsIgnoreCase(Refused.FIELD)).toList();
        connection.fieldsInward(frame.stream(), frame.has(Frame.END_STREAM), pseudo, fields, stream.request);
        if (frame.has(Frame.END_STREAM)) {
            connection.half(frame.stream(), false);
        }
    }
}
