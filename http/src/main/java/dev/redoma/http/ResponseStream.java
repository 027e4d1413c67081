// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/// A response's body: small writes gather in a pooled direct buffer until `flush`, large ones go straight to the socket. Blocks while the
/// client does not read. `close` only flushes: the response ends when its endpoint returns, so that a failure never looks complete.
/// Not thread-safe.
public final class ResponseStream extends OutputStream implements WritableByteChannel {
    private static final int GATHER = 128 * 1024;
    private static final int LARGE = 16 * 1024;

    private final Response response;
    private final ByteBufferPool pool;
    private @Nullable RetainableByteBuffer buffer;

    ResponseStream(Response response, ByteBufferPool pool) {
        this.response = response;
        this.pool = pool;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        write(ByteBuffer.wrap(bytes, offset, length));
    }

    /// Takes all of them.
    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        if (length >= LARGE) {
            if (gathered() > 0) {
                flush();
            }
            send(false, bytes.slice());
            bytes.position(bytes.limit());
            return length;
        }
        while (bytes.hasRemaining()) {
            var to = space();
            int n = Math.min(bytes.remaining(), to.capacity() - to.limit());
            int at = to.limit();
            to.limit(at + n).put(at, bytes, bytes.position(), n);
            bytes.position(bytes.position() + n);
            if (to.limit() == to.capacity()) {
                flush();
            }
        }
        return length;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    private int gathered() {
        return buffer == null ? 0 : buffer.getByteBuffer().limit();
    }

    /// The buffer, its content from 0 to its limit.
    private ByteBuffer space() {
        var present = buffer;
        if (present == null) {
            buffer = present = pool.acquire(GATHER, true);
            present.getByteBuffer().clear().limit(0);
        }
        return present.getByteBuffer();
    }

    @Override
    public void flush() throws IOException {
        if (gathered() > 0) {
            var full = space();
            send(false, full.duplicate().position(0));
            full.clear().limit(0);
        } else if (!response.isCommitted()) {
            send(false, ByteBuffer.allocate(0));
        }
    }

    @Override
    public void close() throws IOException {
        flush();
    }

    /// Sends what is gathered as the end of the response.
    void finish() throws IOException {
        send(true, buffer == null ? ByteBuffer.allocate(0) : space().duplicate().position(0));
        release();
    }

    void release() {
        if (buffer != null) {
            buffer.release();
            buffer = null;
        }
    }

    private void send(boolean last, ByteBuffer bytes) throws IOException {
        try {
            Content.Sink.write(response, last, bytes);
        } catch (IOException gone) {
            throw new ClientGone(gone);
        }
    }
}
