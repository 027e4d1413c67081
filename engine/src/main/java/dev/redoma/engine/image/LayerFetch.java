// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// One layer on its way into a file that has no name: a thread of its own writes, one reader reads what is there and waits for more. What
/// ended the writing ends the reading. Thread-safe.
final class LayerFetch implements AutoCloseable {
    private static final int CHUNK = 1 << 17;
    private static final long LOOK_MS = 500;

    private final FileChannel file;
    private final PullControl control;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private final Thread thread;
    private long written;
    private boolean ended;
    private @Nullable Throwable failed;

    private LayerFetch(FileChannel file, SourceImage.Content content, PullControl control) {
        this.file = file;
        this.control = control;
        this.thread = Thread.ofVirtual().name("redoma-layer").unstarted(() -> run(content));
    }

    static LayerFetch begin(SourceImage.Content content, Path directory, PullControl control) throws IOException {
        var name = directory.resolve(".incoming-" + UUID.randomUUID());
        var file = FileChannel.open(name, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Files.delete(name);
        var fetch = new LayerFetch(file, content, control);
        fetch.thread.start();
        return fetch;
    }

    private void run(SourceImage.Content content) {
        Throwable why = null;
        try (InputStream in = content.open()) {
            var buffer = new byte[CHUNK];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                write(ByteBuffer.wrap(buffer, 0, n));
            }
        } catch (IOException | RuntimeException | Error e) {
            why = e;
        }
        lock.lock();
        try {
            failed = why;
            ended = true;
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void write(ByteBuffer bytes) {
        int length = bytes.remaining();
        try {
            while (bytes.hasRemaining()) {
                file.write(bytes, written + length - bytes.remaining());
            }
        } catch (IOException full) {
            throw Problem.of(Code.NO_CAPACITY, "There is no room for the layers of the image: " + Refusal.shown(String.valueOf(full.getMessage())) + ".",
                    "Delete sandboxes, snapshots or templates, or enlarge the pool.").with("resource", "disk").raise(full);
        }
        lock.lock();
        try {
            written += length;
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// From the beginning.
    InputStream reader() {
        return new Reader();
    }

    /// Bytes that are there from `at` on, waiting for one at least; -1: the end was reached well.
    private long awaited(long at) throws IOException {
        lock.lock();
        try {
            while (written <= at && !ended) {
                control.check();
                more.await(LOOK_MS, TimeUnit.MILLISECONDS);
            }
            if (written > at) {
                return written - at;
            }
            if (failed != null) {
                throw told(failed);
            }
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private static IOException told(Throwable failed) throws IOException {
        if (failed instanceof RuntimeException e) {
            throw e;
        }
        if (failed instanceof Error e) {
            throw e;
        }
        throw (IOException) failed;
    }

    /// Tells the thread to end, and waits for nothing.
    void end() {
        thread.interrupt();
    }

    /// Ends the thread if it is still at work, and gives the file's space back.
    @Override
    public void close() {
        end();
        try {
            thread.join();
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Reader extends InputStream {
        private long at;

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            long there = awaited(at);
            if (there < 0) {
                return -1;
            }
            int n = file.read(ByteBuffer.wrap(into, from, (int) Math.min(length, there)), at);
            if (n < 0) {
                throw new IOException("the file became shorter");
            }
            at += n;
            return n;
        }
    }
}
