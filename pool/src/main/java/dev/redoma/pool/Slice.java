// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/// A part of a file as a stream; it leaves the file's own position alone.
final class Slice extends InputStream {
    private final FileChannel file;
    private long at;
    private final String tooShort;
    private long left;

    Slice(FileChannel file, long from, long length) {
        this(file, from, length, "the file became shorter");
    }

    /// `tooShort`: what is said where the file ends before the part.
    Slice(FileChannel file, long from, long length, String tooShort) {
        this.file = file;
        this.tooShort = tooShort;
        this.at = from;
        this.left = length;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int off, int len) throws IOException {
        if (left == 0) {
            return -1;
        }
        int n = file.read(ByteBuffer.wrap(into, off, (int) Math.min(len, left)), at);
        if (n < 0) {
            throw new IOException(tooShort);
        }
        at += n;
        left -= n;
        return n;
    }
}
