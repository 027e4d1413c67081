// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import dev.redoma.http.ResponseStream;

/// A response's body of at most so many bytes: what a file grew by while it is read is not sent. Ends with an IOException once its
/// guard objects.
final class GuardedOutput extends OutputStream implements WritableByteChannel {
    private final ResponseStream out;
    private final Guard guard;
    private long left;

    GuardedOutput(ResponseStream out, Guard guard, long most) {
        this.out = out;
        this.guard = guard;
        this.left = most;
    }

    /// All that was promised went out, and there is more.
    static final class Enough extends IOException {
        private static final long serialVersionUID = 1L;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        write(ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        try {
            guard.check();
        } catch (RedomaException ended) {
            throw new IOException("no longer allowed", ended);
        }
        int length = bytes.remaining();
        int n = (int) Math.min(length, left);
        out.write(bytes.slice(bytes.position(), n));
        bytes.position(bytes.position() + n);
        left -= n;
        if (n < length) {
            throw new Enough();
        }
        return n;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
