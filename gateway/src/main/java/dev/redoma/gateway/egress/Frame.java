// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/// A frame of HTTP/2 (RFC 9113, 4.1).
record Frame(int type, int flags, int stream, byte[] payload) {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;
    static final int PADDED = 8;
    static final int PRIORITY = 0x20;

    static final int PROTOCOL_ERROR = 1;

    static final int LONGEST = 16 << 10;
    private static final int HEAD = 9;

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /// Null at the end.
    static @org.jspecify.annotations.Nullable Frame read(InputStream in) throws IOException {
        byte[] head = in.readNBytes(HEAD);
        if (head.length == 0) {
            return null;
        }
        if (head.length < HEAD) {
            throw new java.io.EOFException("it ended within a frame");
        }
        var h = ByteBuffer.wrap(head);
        int length = (h.get() & 0xff) << 16 | h.getShort() & 0xffff;
        if (length > LONGEST) {
            throw new Broken("a frame is longer than was agreed");
        }
        int type = h.get() & 0xff;
        int flags = h.get() & 0xff;
        int stream = h.getInt() & 0x7fffffff;
        byte[] payload = in.readNBytes(length);
        if (payload.length < length) {
            throw new java.io.EOFException("it ended within a frame");
        }
        return new Frame(type, flags, stream, payload);
    }

    void write(OutputStream out) throws IOException {
        out.write(bytes());
    }

    private byte[] bytes() {
        return ByteBuffer.allocate(HEAD + payload.length).put((byte) (payload.length >> 16)).putShort((short) payload.length).put((byte) type).put((byte) flags).putInt(stream).put(payload).array();
    }

    static Frame number(int type, int stream, int number) {
        return new Frame(type, 0, stream, ByteBuffer.allocate(4).putInt(number).array());
    }

    /// That the connection ends because of what its peer did. `last`: the stream up to which something was looked at.
    static Frame away(int last) {
        return new Frame(GOAWAY, 0, 0, ByteBuffer.allocate(8).putInt(last).putInt(PROTOCOL_ERROR).array());
    }

    /// The four bytes that RST_STREAM and WINDOW_UPDATE are.
    int number() throws Broken {
        if (payload.length != 4) {
            throw new Broken("a frame has another length than its kind");
        }
        return ByteBuffer.wrap(payload).getInt() & 0x7fffffff;
    }

    /// Without what pads it and what it says of priority.
    byte[] content() throws Broken {
        int from = 0;
        int padding = 0;
        if (has(PADDED)) {
            if (payload.length < 1) {
                throw new Broken("padding without a length");
            }
            padding = payload[0] & 0xff;
            from = 1;
        }
        if (type == HEADERS && has(PRIORITY)) {
            from += 5;
        }
        if (from + padding > payload.length) {
            throw new Broken("more padding than there is");
        }
        return java.util.Arrays.copyOfRange(payload, from, payload.length - padding);
    }

    /// Nothing that a peer of HTTP/2 may send: the connection ends.
    static final class Broken extends IOException {
        private static final long serialVersionUID = 1L;

        Broken(String message) {
            super(message);
        }
    }
}
