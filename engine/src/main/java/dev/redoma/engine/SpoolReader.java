// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// One reader of a spool, at its own pace.
final class SpoolReader implements Execs.Output {
    private static final int ROOM = 8; // in front of the bytes, so that a header goes out with them
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Spool spool;
    private final SpoolIndex index;
    private final Path path;
    private final long stop;
    private final boolean untilClosed;
    private @Nullable FileChannel file;
    private long offset;
    private long segment = -2;
    private long segmentEnd;
    private int stream = 1;
    private @Nullable ByteBuffer lent;
    private volatile boolean done;

    SpoolReader(Spool spool, SpoolIndex index, Path path, long offset, long stop, boolean untilClosed) {
        this.spool = spool;
        this.index = index;
        this.path = path;
        this.offset = offset;
        this.stop = stop;
        this.untilClosed = untilClosed;
    }

    @Override
    public Execs.@Nullable Chunk next(Duration keepAlive) throws InterruptedException {
        takeBack();
        long end = done ? -1 : spool.await(offset, stop, untilClosed, keepAlive);
        if (end < 0) {
            return null;
        }
        try {
            return end == offset ? new Execs.Chunk(stream, offset, NOTHING) : read(end);
        } catch (IOException e) {
            throw Problem.of(Code.HOST_FAILED, "The kept output cannot be read.", "See the server's log.").raise(e);
        }
    }

    private Execs.Chunk read(long end) throws IOException {
        seek();
        int length = (int) Math.min(Buffers.LARGE.size() - ROOM, Math.min(end, segmentEnd) - offset);
        var into = Buffers.LARGE.take();
        lent = into;
        into.limit(ROOM + length).position(ROOM);
        while (into.hasRemaining()) {
            if (file().read(into, offset + into.position() - ROOM) < 0) {
                throw new IOException("spool cut below its size: " + path);
            }
        }
        var chunk = new Execs.Chunk(stream, offset, into.position(ROOM));
        offset += length;
        return chunk;
    }

    /// Who waits holds no buffer. One that is lent when the reader is closed is left to the collector: a write of it may have been broken off and
    /// still be under way, and the next user's bytes must not go out by it.
    private void takeBack() {
        var back = lent;
        if (back != null) {
            lent = null;
            Buffers.LARGE.give(back);
        }
    }

    /// Finds the segment of `offset`. The last one has no end yet: where it will end is looked up again each time it was used up.
    private void seek() throws IOException {
        if (segment == -2) {
            segment = index.floor(offset);
            stream = index.stream(segment);
            bound();
        }
        if (segmentEnd == Long.MAX_VALUE) {
            bound();
        }
        while (offset >= segmentEnd) {
            segment++;
            stream = index.stream(segment);
            bound();
        }
    }

    private void bound() throws IOException {
        segmentEnd = segment + 1 < index.count() ? index.offset(segment + 1) : Long.MAX_VALUE;
    }

    private FileChannel file() throws IOException {
        var open = file;
        if (open == null) {
            open = FileChannel.open(path, StandardOpenOption.READ);
            file = open;
        }
        return open;
    }

    /// From any thread: a reader that waits in `next` ends at its next waking.
    @Override
    public void close() {
        if (done) {
            return;
        }
        done = true;
        spool.release();
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            throw Problem.of(Code.HOST_FAILED, "Closing the kept output failed.", "See the server's log.").raise(e);
        }
    }
}
