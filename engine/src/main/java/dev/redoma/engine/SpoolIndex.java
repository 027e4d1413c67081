// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// Where a spool's bytes change from one stream to the other: a file of 8-byte entries `offset << 1 | stream - 1`, in order. Before
/// the first entry all is stdout, so most spools have none. One writer; readers see what `count` says. Kept on disk alone, so an exec
/// that alternates for ever costs no memory.
final class SpoolIndex implements AutoCloseable {
    static final int ENTRY = 8;

    private final Path path;
    private @Nullable FileChannel channel;
    private volatile long count;
    private int last = 1;

    SpoolIndex(Path path) {
        this.path = path;
    }

    long count() {
        return count;
    }

    /// Writer: the byte at `offset` belongs to `stream`.
    void mark(long offset, int stream) throws IOException {
        if (stream == last) {
            return;
        }
        put(channel(), offset << 1 | stream - 1);
        last = stream;
        count++;
    }

    private void put(FileChannel to, long entry) throws IOException {
        var bytes = ByteBuffer.allocate(ENTRY).putLong(entry).flip();
        while (bytes.hasRemaining()) {
            to.write(bytes, count * ENTRY + bytes.position());
        }
    }

    /// Takes up what an earlier server left, without entries that no byte follows.
    void recover(long size) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        count = Files.size(path) / ENTRY;
        while (count > 0 && entry(count - 1) >> 1 >= size) {
            count--;
        }
        channel().truncate(count * ENTRY);
        last = count == 0 ? 1 : stream(count - 1);
    }

    /// The entry in force at `offset`; -1 before the first.
    long floor(long offset) throws IOException {
        long low = -1;
        long high = count - 1;
        while (low < high) {
            long middle = low + (high - low + 1) / 2;
            if (offset(middle) <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    int stream(long index) throws IOException {
        return index < 0 ? 1 : (int) (entry(index) & 1) + 1;
    }

    long offset(long index) throws IOException {
        return entry(index) >> 1;
    }

    private synchronized long entry(long index) throws IOException {
        var bytes = ByteBuffer.allocate(ENTRY);
        while (bytes.hasRemaining()) {
            if (channel().read(bytes, index * ENTRY + bytes.position()) < 0) {
                throw new IOException("index cut at entry " + index + ": " + path);
            }
        }
        return bytes.flip().getLong();
    }

    private synchronized FileChannel channel() throws IOException {
        var open = channel;
        if (open == null || !open.isOpen()) {
            open = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            channel = open;
        }
        return open;
    }

    @Override
    public synchronized void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
