// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.eclipse.jetty.http.MetaData;

/// A program that speaks HTTP/2 as a test wants it.
final class Http2Talk implements AutoCloseable {
    final SecureClient client;
    private final FieldBlock blocks = new FieldBlock();

    Http2Talk(Lab lab, Inside inside, String host, boolean window) throws Exception {
        client = SecureClient.to(lab, inside, host, "h2");
        assertThat(client.socket.getApplicationProtocol()).isEqualTo("h2");
        client.say("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        send(new Frame(Frame.SETTINGS, 0, 0, new byte[0]));
        if (window) {
            send(Frame.number(Frame.WINDOW_UPDATE, 0, 1 << 20));
        }
    }

    void send(Frame frame) throws IOException {
        frame.write(client.socket.getOutputStream());
    }

    void request(int id, boolean last, String fields) throws IOException {
        send(new Frame(Frame.HEADERS, Frame.END_HEADERS | (last ? Frame.END_STREAM : 0), id, block(fields)));
    }

    /// The next that is about this stream, or a GOAWAY; null at the end.
    Frame next(int id) throws IOException {
        while (true) {
            Frame frame = Frame.read(client.in);
            if (frame == null || frame.stream() == id && frame.type() != Frame.WINDOW_UPDATE || frame.type() == Frame.GOAWAY) {
                return frame;
            }
            if (frame.type() == Frame.SETTINGS && !frame.has(Frame.ACK)) {
                send(new Frame(Frame.SETTINGS, Frame.ACK, 0, new byte[0]));
            }
        }
    }

    /// `STATUS body`, and the trailers where there are some.
    String answer(int id) throws IOException {
        var text = new StringBuilder();
        for (Frame frame = next(id); frame != null && frame.stream() == id; frame = next(id)) {
            if (frame.type() == Frame.HEADERS) {
                MetaData said = blocks.read(frame, client.in).said();
                text.append(said instanceof MetaData.Response r ? r.getStatus() + " " : " " + said.getHttpFields().get("grpc-status"));
            } else if (frame.type() == Frame.DATA) {
                text.append(new String(frame.content()));
            }
            if (frame.type() == Frame.RST_STREAM || frame.has(Frame.END_STREAM)) {
                break;
            }
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        client.close();
    }

    /// Fields `NAME=VALUE`, with `|` between.
    static byte[] block(String fields) {
        var out = new ByteArrayOutputStream();
        for (String field : fields.split("\\|")) {
            int at = field.indexOf('=', 1);
            out.write(0);
            for (String part : List.of(field.substring(0, at), field.substring(at + 1))) {
                out.write(part.length());
                out.writeBytes(part.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return out.toByteArray();
    }
}
