// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Patterns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The log of one build: a file of bytes as they came, but for tokens, which are masked; bounded; readers follow it while it grows; and the last lines of the step at
/// work. Thread-safe.
final class BuildLog {
    private static final int CHUNK = 1 << 16;
    static final int TAIL = 1 << 16;
    private static final int LINES = 20;
    private static final int LINE = 500;

    private final Path file;
    private final long most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    private long size;
    private long dropped;
    private boolean ended;
    private final Tail tail = new Tail();
    private final MaskedBytes masked = new MaskedBytes();

    private BuildLog(Path file, long most, long size, boolean ended) {
        this.file = file;
        this.most = most;
        this.size = size;
        this.ended = ended;
    }

    static BuildLog fresh(Path file, long most) {
        try {
            Files.createFile(file);
            return new BuildLog(file, most, 0, false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Of a build that has ended; empty where the file is gone.
    static BuildLog finished(Path file) {
        try {
            return new BuildLog(file, 0, Files.exists(file) ? Files.size(file) : 0, true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A line of ours; on a line of its own.
    void say(String line) {
        lock.lock();
        try {
            append(masked.rest());
            boolean open = tail.lineIsOpen();
            append(Patterns.shapes().mask((open ? "\n" : "") + line.replaceAll("\\p{Cntrl}", "?") + "\n", new Hits()).getBytes(StandardCharsets.UTF_8));
        } finally {
            lock.unlock();
        }
    }

    /// What a step printed. The end of it waits for what follows while it may be the beginning of a token.
    void output(byte[] bytes) {
        lock.lock();
        try {
            append(masked.next(bytes));
        } finally {
            lock.unlock();
        }
    }

    private void append(byte[] bytes) {
        int fits = (int) Math.min(bytes.length, Math.max(0, most - size));
        if (fits > 0) {
            write(bytes, fits);
        }
        dropped += bytes.length - fits;
        tail.add(bytes);
        grown.signalAll();
    }

    private void write(byte[] bytes, int length) {
        try (var out = FileChannel.open(file, StandardOpenOption.WRITE)) {
            var buffer = ByteBuffer.wrap(bytes, 0, length);
            while (buffer.hasRemaining()) {
                size += out.write(buffer, size);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// From here on `lastLines` tells of what comes.
    void beginStep() {
        lock.lock();
        try {
            append(masked.rest());
            tail.clear();
        } finally {
            lock.unlock();
        }
    }

    /// The end of what a command printed so far, for people.
    static List<String> lastLines(Spool spool) {
        var tail = new Tail();
        try (var output = spool.reader(Math.max(0, spool.kept() - TAIL), false, false)) {
            for (var chunk = output.next(Duration.ZERO); chunk != null && !chunk.isEmpty(); chunk = output.next(Duration.ZERO)) {
                tail.add(chunk.copy());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return tail.lines();
    }

    /// At most 20, each without control characters and cut to 500.
    List<String> lastLines() {
        lock.lock();
        try {
            append(masked.rest());
            return tail.lines();
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try {
            append(masked.rest());
            if (dropped > 0) {
                write(("\n[" + dropped + " bytes more were printed than are kept]\n").getBytes(StandardCharsets.UTF_8));
            }
            ended = true;
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void write(byte[] bytes) {
        write(bytes, bytes.length);
    }

    Builds.Log reader(long offset) {
        return new Reader(offset);
    }

    private final class Reader implements Builds.Log {
        private long at;

        Reader(long at) {
            this.at = at;
        }

        @Override
        public byte @Nullable [] next(Duration atMost) throws InterruptedException {
            long left = atMost.toNanos();
            lock.lock();
            try {
                while (at >= size && !ended && left > 0) {
                    left = grown.awaitNanos(left);
                }
                if (at >= size) {
                    return ended ? null : new byte[0];
                }
            } finally {
                lock.unlock();
            }
            return read();
        }

        private byte[] read() {
            try (var in = FileChannel.open(file, StandardOpenOption.READ)) {
                var buffer = ByteBuffer.allocate(CHUNK);
                int n = in.read(buffer, at);
                at += Math.max(0, n);
                return java.util.Arrays.copyOf(buffer.array(), Math.max(0, n));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {}
    }

    /// True once it has; waits that long.
    boolean awaitEnd(Duration atMost) throws InterruptedException {
        long left = atMost.toNanos();
        lock.lock();
        try {
            while (!ended && left > 0) {
                left = grown.awaitNanos(left);
            }
            return ended;
        } finally {
            lock.unlock();
        }
    }

    /// The last bytes of what was printed. Not thread-safe.
    static final class Tail {
        private byte[] kept = new byte[0];

        void add(byte[] bytes) {
            int old = Math.min(kept.length, Math.max(0, TAIL - bytes.length));
            int more = Math.min(bytes.length, TAIL);
            var now = new byte[old + more];
            System.arraycopy(kept, kept.length - old, now, 0, old);
            System.arraycopy(bytes, bytes.length - more, now, old, more);
            kept = now;
        }

        void clear() {
            kept = new byte[0];
        }

        boolean lineIsOpen() {
            return kept.length > 0 && kept[kept.length - 1] != '\n';
        }

        /// At most 20, each without control characters and cut to 500.
        List<String> lines() {
            var lines = new ArrayList<>(new String(kept, StandardCharsets.UTF_8).lines().toList());
            return lines.subList(Math.max(0, lines.size() - LINES), lines.size()).stream().map(Tail::shown).toList();
        }

        private static String shown(String line) {
            var clean = line.replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "").replaceAll("[\\p{Cntrl}&&[^\t]]", "");
            return clean.length() > LINE ? clean.substring(0, LINE) + "…" : clean;
        }
    }
}
