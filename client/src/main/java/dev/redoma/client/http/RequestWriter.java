// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/// Writes one request. Stops early, without an error, when the answer arrives before the body is out.
final class RequestWriter {
    private static final long SLICE = 1 << 20;

    private final Connection connection;
    private final Map<String, String> standing;

    RequestWriter(Connection connection, Map<String, String> standing) {
        this.connection = connection;
        this.standing = standing;
    }

    /// True when all of it was sent.
    boolean write(Request request) throws IOException {
        return switch (request.body()) {
            case null -> head(request, request.method().equals("POST") || request.method().equals("PUT") ? "Content-Length: 0" : "", new byte[0]);
            case Body.Bytes b -> head(request, "Content-Type: " + b.type() + "\r\nContent-Length: " + b.bytes().length, b.bytes());
            case Body.FileBody f -> file(request, f);
            case Body.Stream s -> stream(request, s);
        };
    }

    private boolean head(Request request, String framing, byte[] body) throws IOException {
        var text = new StringBuilder(256).append(request.method()).append(' ').append(request.target()).append(" HTTP/1.1\r\n");
        standing.forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        request.headers().forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        text.append(framing).append(framing.isEmpty() ? "\r\n" : "\r\n\r\n");
        var head = text.toString().getBytes(StandardCharsets.UTF_8);
        if (body.length == 0 || body.length > 64 * 1024) {
            connection.out().write(head);
            connection.out().write(body);
        } else {
            var both = new ByteArrayOutputStream(head.length + body.length);
            both.write(head);
            both.write(body);
            connection.out().write(both.toByteArray());
        }
        return true;
    }

    private boolean file(Request request, Body.FileBody body) throws IOException {
        try (var file = FileChannel.open(body.file(), StandardOpenOption.READ)) {
            long size = file.size();
            head(request, "Content-Type: " + body.type() + "\r\nContent-Length: " + size, new byte[0]);
            for (long done = 0; done < size; body.progress().at(done, size)) {
                if (connection.somethingToRead()) {
                    return false;
                }
                long moved = slice(file, done, Math.min(SLICE, size - done));
                if (moved <= 0) {
                    throw new LocalFault(new IOException(body.file() + " became shorter while it was read"));
                }
                done += moved;
            }
            return true;
        }
    }

    private long slice(FileChannel file, long from, long count) throws IOException {
        var channel = connection.rawChannel();
        if (channel != null) {
            return file.transferTo(from, count, channel);
        }
        var bytes = java.nio.ByteBuffer.allocate((int) count);
        int read = file.read(bytes, from);
        connection.out().write(bytes.array(), 0, Math.max(0, read));
        return read;
    }

    private boolean stream(Request request, Body.Stream body) throws IOException {
        head(request, "Content-Type: " + body.type() + "\r\nTransfer-Encoding: chunked", new byte[0]);
        var chunks = new Chunks(connection);
        try {
            body.source().writeTo(chunks);
            chunks.finish();
            return true;
        } catch (Answered early) {
            return false;
        } catch (IOException e) {
            throw chunks.broken() ? e : new LocalFault(e);
        }
    }

    /// The source of the body failed, not the connection.
    static final class LocalFault extends IOException {
        private static final long serialVersionUID = 1L;

        LocalFault(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /// The other side answered before it had all.
    static final class Answered extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /// Chunked framing with a buffer of 128 KiB.
    private static final class Chunks extends OutputStream {
        private static final int ROOM = 10;

        private final Connection connection;
        private final byte[] buffer = new byte[ROOM + 128 * 1024 + 2];
        private int fill = ROOM;
        private boolean broken;

        Chunks(Connection connection) {
            this.connection = connection;
        }

        boolean broken() {
            return broken;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] from, int off, int len) throws IOException {
            for (int done = 0; done < len; ) {
                int n = Math.min(len - done, buffer.length - 2 - fill);
                System.arraycopy(from, off + done, buffer, fill, n);
                fill += n;
                done += n;
                if (fill == buffer.length - 2) {
                    flush();
                }
            }
        }

        /// The size goes right before the data, so that a chunk is one write.
        @Override
        public void flush() throws IOException {
            if (fill == ROOM) {
                return;
            }
            var size = (Integer.toHexString(fill - ROOM) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(size, 0, buffer, ROOM - size.length, size.length);
            buffer[fill++] = '\r';
            buffer[fill++] = '\n';
            int from = ROOM - size.length;
            send(buffer, from, fill - from);
            fill = ROOM;
        }

        private void send(byte[] bytes, int off, int len) throws IOException {
            try {
                if (connection.somethingToRead()) {
                    throw new Answered();
                }
                connection.out().write(bytes, off, len);
            } catch (IOException e) {
                broken = true;
                throw e;
            }
        }

        void finish() throws IOException {
            flush();
            send("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII), 0, 5);
        }
    }
}
