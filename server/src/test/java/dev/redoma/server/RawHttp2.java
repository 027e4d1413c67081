// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// One request of HTTP/2 without TLS, with whatever fields a test wants, and the bytes of its answer's body.
final class RawHttp2 {
    private static final int END = 1;
    private static final int HEADERS = 1;
    private static final int DATA = 0;

    private RawHttp2() {}

    /// `fields`: name and value in turns.
    static String ask(String router, List<String> fields) throws IOException {
        var at = URI.create(router);
        try (var socket = new Socket(at.getHost(), at.getPort())) {
            socket.setSoTimeout(30_000);
            var out = socket.getOutputStream();
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(frame(4, 0, 0, new byte[0]));
            out.write(frame(HEADERS, END | 4, 1, block(fields)));
            var in = new DataInputStream(socket.getInputStream());
            var body = new ByteArrayOutputStream();
            while (true) {
                int head = in.readInt();
                int type = head & 0xff;
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                byte[] payload = in.readNBytes(head >>> 8);
                if (type == DATA) {
                    body.write(payload);
                }
                if (stream == 1 && (type == 3 || (flags & END) != 0 && (type == DATA || type == HEADERS)) || type == 7) {
                    return body.toString(StandardCharsets.ISO_8859_1);
                }
            }
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length).putInt(payload.length << 8 | type).put((byte) flags).putInt(stream).put(payload).array();
    }

    /// Literals without an index, none longer than 126 bytes.
    private static byte[] block(List<String> fields) {
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < fields.size(); i++) {
            if (i % 2 == 0) {
                out.write(0);
            }
            byte[] text = fields.get(i).getBytes(StandardCharsets.ISO_8859_1);
            if (text.length < 127) {
                out.write(text.length);
            } else {
                out.write(127);
                int rest = text.length - 127;
                out.write(rest & 127 | (rest > 127 ? 128 : 0));
                if (rest > 127) {
                    out.write(rest >> 7);
                }
            }
            out.writeBytes(text);
        }
        return out.toByteArray();
    }
}
