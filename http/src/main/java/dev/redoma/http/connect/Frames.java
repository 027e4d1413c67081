// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http.connect;

import dev.redoma.http.Json;
import dev.redoma.http.ResponseStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;

/// The answer of a streaming call: each message goes out at once unless more are said to follow. Not thread-safe.
public final class Frames {
    static final int END = 2;
    private static final int HEAD = 5;

    private final ResponseStream out;

    Frames(ResponseStream out) {
        this.out = out;
    }

    public void send(Object message) throws IOException {
        put(message);
        flush();
    }

    /// As `send`, without the flush.
    public void put(Object message) throws IOException {
        frame(0, Json.bytes(message));
    }

    public void flush() throws IOException {
        out.flush();
    }

    void end() throws IOException {
        frame(END, Json.bytes(Map.of()));
    }

    void end(Map<String, Object> error) throws IOException {
        frame(END, Json.bytes(Map.of("error", error)));
    }

    private void frame(int flags, byte[] payload) throws IOException {
        out.write(ByteBuffer.allocate(HEAD).put((byte) flags).putInt(payload.length).flip());
        out.write(payload, 0, payload.length);
    }
}
