// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.LongSupplier;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The kept output of one exec: its bytes in order of arrival in one file, so that an offset is a file position, and beside it an index
/// of the streams. One writer, any number of readers, who follow without polling and never hold the writer up. Past the limit bytes
/// are counted and dropped. Files survive the server; a kill of it loses only what was not acknowledged to the guest.
final class Spool {
    private static final Logger LOG = LoggerFactory.getLogger(Spool.class);
    private static final long RESERVE = 512L << 20;
    private static final long LOOK_EVERY = 4L << 20;

    private final Path path;
    private final long limit;
    private final SpoolIndex index;
    private @Nullable FileChannel file;
    private @Nullable MessageDigest digest = sha256();
    private boolean full;
    private boolean untold;
    private boolean roomy = true;
    private long lookAgainAt;
    private final LongSupplier space;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    private int waiting;
    private volatile long size;
    private volatile long dropped;
    private volatile long exitedAt = -1;
    private volatile boolean closed;
    private volatile @Nullable Problem abandoned;
    private int users = 1;

    /// `path` without its endings.
    Spool(Path path, long limit) {
        this(path, limit, () -> free(path));
    }

    /// `space`: bytes that are free where it is kept.
    Spool(Path path, long limit, LongSupplier space) {
        this.space = space;
        this.path = path;
        this.limit = limit;
        this.index = new SpoolIndex(ending(path, ".idx"));
    }

    /// The sandbox's directory may not be there yet; that of all spools is.
    private static long free(Path path) {
        return path.toAbsolutePath().resolve("../..").normalize().toFile().getUsableSpace();
    }

    static Path ending(Path path, String ending) {
        return path.resolveSibling(path.getFileName() + ending);
    }

    /// Goes on where an earlier server stopped.
    static Spool recover(Path path, long limit, long dropped) throws IOException {
        var spool = new Spool(path, limit);
        var bytes = ending(path, ".out");
        spool.size = Files.exists(bytes) ? Files.size(bytes) : 0;
        spool.dropped = dropped;
        spool.index.recover(spool.size);
        spool.digest = spool.size == 0 ? spool.digest : null;
        return spool;
    }

    long kept() {
        return size;
    }

    long dropped() {
        return dropped;
    }

    /// What the guest counts: all that came.
    long total() {
        return size + dropped;
    }

    boolean closed() {
        return closed;
    }

    /// Writer: keeps what fits below the limit; readers that wait hear of it by `tell`. A disk that takes no more counts as the limit: the process is not to suffer from it.
    void append(int stream, ByteBuffer bytes) {
        long room = roomy() ? Math.min(limit - size, limit - index.count() * SpoolIndex.ENTRY) : 0;
        int keep = full ? 0 : (int) Math.max(0, Math.min(bytes.remaining(), room));
        int lose = bytes.remaining() - keep;
        if (keep > 0) {
            try {
                write(stream, bytes.slice(bytes.position(), keep));
            } catch (IOException e) {
                LOG.error("output of {} is not kept from byte {} on", path.getFileName(), size, e);
                lose += keep;
                keep = 0;
            }
        }
        full |= lose > 0;
        publish(keep, lose);
    }

    /// The database and the record live on the same disk: output never takes the last of it. Asked at the first byte and then now and
    /// then, whatever the number of execs.
    private boolean roomy() {
        if (size >= lookAgainAt) {
            lookAgainAt = size + LOOK_EVERY;
            roomy = space.getAsLong() > RESERVE;
        }
        return roomy;
    }

    private void write(int stream, ByteBuffer bytes) throws IOException {
        var out = file();
        index.mark(size, stream);
        for (long at = size; bytes.hasRemaining(); ) {
            at += out.write(bytes, at);
        }
        if (digest != null) {
            digest.update(bytes.rewind());
        }
    }

    /// Writer: these bytes take the place of some that were kept before, as far as they were.
    void change(long at, ByteBuffer bytes) {
        int kept = (int) Math.max(0, Math.min(bytes.remaining(), size - at));
        var instead = bytes.slice(bytes.position(), kept);
        digest = null;
        try {
            for (long to = at; instead.hasRemaining(); ) {
                to += file().write(instead, to);
            }
        } catch (IOException e) {
            LOG.error("output of {} keeps {} bytes from {} on that should be masked", path.getFileName(), kept, at, e);
        }
    }

    /// Writer: bytes that the guest no longer had.
    void skip(long bytes) {
        publish(0, bytes);
        tell();
    }

    private void publish(long keep, long lose) {
        lock.lock();
        try {
            size += keep;
            dropped += lose;
            untold = true;
        } finally {
            lock.unlock();
        }
    }

    /// Writer: wakes the readers if anything was appended since the last time.
    void tell() {
        if (!untold) {
            return;
        }
        untold = false;
        lock.lock();
        try {
            if (waiting > 0) {
                grown.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private FileChannel file() throws IOException {
        var open = file;
        if (open == null) {
            open = create(ending(path, ".out"));
            file = open;
        }
        return open;
    }

    private static FileChannel create(Path file) throws IOException {
        try {
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (NoSuchFileException first) {
            Files.createDirectories(file.getParent()); // only the first exec of a sandbox pays for this
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }
    }

    /// SHA-256 of what is kept, in hex. Writer only.
    String digest() {
        try {
            var d = digest == null ? reread() : (MessageDigest) digest.clone();
            return HexFormat.of().formatHex(d.digest());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    private MessageDigest reread() {
        var d = sha256();
        var buffer = ByteBuffer.allocate(64 << 10);
        try (var in = FileChannel.open(ending(path, ".out"), StandardOpenOption.READ)) {
            while (in.read(buffer.clear()) >= 0) {
                d.update(buffer.flip());
            }
        } catch (IOException e) {
            LOG.error("spool {} cannot be read again", path, e);
        }
        digest = d;
        return d;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The exit is public: readers that want no more end here.
    void exitedAt(long offset) {
        signal(() -> exitedAt = offset);
    }

    /// The server stops before the exec does: readers end with this once they have read what is here.
    void abandon(Problem why) {
        signal(() -> abandoned = why);
    }

    /// No further output can come. The writer is done. Idempotent.
    void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            grown.signalAll();
        } finally {
            lock.unlock();
        }
        release();
    }

    private void signal(Runnable change) {
        lock.lock();
        try {
            change.run();
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// A reader from `offset` on.
    SpoolReader reader(long offset, boolean follow, boolean untilClosed) {
        lock.lock();
        try {
            users++;
        } finally {
            lock.unlock();
        }
        return new SpoolReader(this, index, ending(path, ".out"), offset, follow ? Long.MAX_VALUE : size, untilClosed);
    }

    void release() {
        lock.lock();
        try {
            if (--users > 0) {
                return;
            }
        } finally {
            lock.unlock();
        }
        try {
            index.close();
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            LOG.warn("closing spool {}", path, e);
        }
    }

    /// How far a reader at `offset` may read now; `offset` itself when the time was over first, -1 at its end.
    long await(long offset, long stop, boolean untilClosed, Duration atMost) throws InterruptedException {
        long end = available(offset, stop, untilClosed);
        if (end != offset) {
            return end;
        }
        long nanos = atMost.toNanos();
        lock.lockInterruptibly();
        try {
            waiting++;
            while ((end = available(offset, stop, untilClosed)) == offset && nanos > 0) {
                if (abandoned != null) {
                    throw abandoned.raise();
                }
                nanos = grown.awaitNanos(nanos);
            }
            return end;
        } finally {
            waiting--;
            lock.unlock();
        }
    }

    private long available(long offset, long stop, boolean untilClosed) {
        boolean over = closed && abandoned == null;
        long exit = exitedAt; // read before size: what is below it is there
        long end = Math.min(size, stop);
        if (!untilClosed && exit >= 0) {
            end = Math.min(end, exit);
            over = true;
        }
        if (offset < end) {
            return end;
        }
        return over || offset >= stop ? -1 : offset;
    }

    static void delete(Path path) throws IOException {
        Files.deleteIfExists(ending(path, ".out"));
        Files.deleteIfExists(ending(path, ".idx"));
    }
}
