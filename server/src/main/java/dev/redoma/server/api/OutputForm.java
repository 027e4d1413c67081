// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.engine.Execs;
import dev.redoma.http.EventStream;
import dev.redoma.http.Json;
import dev.redoma.http.Problems;
import dev.redoma.http.ResponseStream;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;

/// How an output stream looks on the wire (docs/api.md, "Output stream").
interface OutputForm {

    /// `event`: `started`, `exited`, or `running` where a stream ends before its exec.
    void exec(String event, Exec exec) throws IOException;

    void output(Execs.Chunk chunk) throws IOException;

    void keepAlive() throws IOException;

    void problem(Problem problem) throws IOException;

    void flush() throws IOException;

    /// 1 byte type, 4 bytes big-endian length, payload.
    static OutputForm frames(ResponseStream out) {
        return new OutputForm() {
            private static final int HEAD = 5;
            private final byte[] head = new byte[HEAD];

            private void frame(int type, ByteBuffer payload) throws IOException {
                head[0] = (byte) type;
                for (int i = 0; i < 4; i++) {
                    head[i + 1] = (byte) (payload.remaining() >>> (24 - 8 * i));
                }
                out.write(head);
                out.write(payload);
            }

            @Override
            public void exec(String event, Exec exec) throws IOException {
                frame(3, ByteBuffer.wrap(Json.bytes(exec)));
            }

            @Override
            public void output(Execs.Chunk chunk) throws IOException {
                var bytes = chunk.bytes();
                int start = bytes.position() - HEAD;
                if (start < 0) {
                    frame(chunk.stream(), bytes);
                } else { // one buffer for the socket, nothing to copy
                    out.write(bytes.put(start, (byte) chunk.stream()).putInt(start + 1, bytes.remaining()).position(start));
                }
            }

            @Override
            public void keepAlive() throws IOException {
                frame(4, ByteBuffer.allocate(0));
            }

            @Override
            public void problem(Problem problem) throws IOException {
                frame(5, ByteBuffer.wrap(Json.bytes(Problems.wire(problem))));
            }

            @Override
            public void flush() throws IOException {
                out.flush();
            }
        };
    }

    /// Server-sent events; `id` is the offset after the event.
    static OutputForm events(EventStream events, long from) {
        return new OutputForm() {
            private long offset = from;

            @Override
            public void exec(String event, Exec exec) throws IOException {
                events.event(event, Long.toString(offset), exec);
            }

            @Override
            public void output(Execs.Chunk chunk) throws IOException {
                offset = chunk.offset() + chunk.bytes().remaining();
                events.event(chunk.stream() == 2 ? "stderr" : "stdout", Long.toString(offset), new Encoded(Base64.getEncoder().encodeToString(chunk.copy())));
            }

            @Override
            public void keepAlive() throws IOException {
                events.comment("keep-alive");
            }

            @Override
            public void problem(Problem problem) throws IOException {
                events.event("problem", Long.toString(offset), Problems.wire(problem));
            }

            @Override
            public void flush() {} // each event goes out as it is sent
        };
    }

    /// Data of a `stdout` or `stderr` event.
    record Encoded(String base64) {}
}
