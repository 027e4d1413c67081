// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Writes one batch after the other: whatever waits, see `Batch`. Thread-safe.
///
/// A platform thread that finds nobody writing writes itself, and what came meanwhile with it: that saves two hand-overs between
/// threads. All others wait for the one thread that does nothing else.
///
/// The log is copied into the database when nobody waits, and in passing when it has grown a little: the log then begins again
/// at its start, and a commit that overwrites costs about half of one that makes the file longer.
final class Writer {
    private static final int WAITING_MOST = 10_000;
    private static final int IDLE_MS = 250;
    /// Commits, for it is by their number more than by what they hold that the log grows; and how many units of a large one count as one.
    private static final int LONG_LOG = 250;
    private static final int LARGE = 16;

    private final BlockingQueue<Job<?>> queue = new ArrayBlockingQueue<>(WAITING_MOST);
    private final Thread thread;
    private volatile boolean closing;

    /// Held by whoever writes; guards what follows.
    private final ReentrantLock writing = new ReentrantLock();
    private final Session session;
    private final Batch batch;
    private final Path file;
    private int sinceCheckpoint;
    private boolean closed;

    Writer(Database database) {
        session = new Session(database, false);
        file = database.file();
        batch = new Batch(session, file);
        thread = Thread.ofPlatform().name("store-writer").daemon().start(this::serve);
    }

    <T extends @Nullable Object> T submit(Job<T> job) {
        if (writing.isHeldByCurrentThread()) {
            throw new IllegalStateException("a write inside a write would wait for itself: use the handle at hand");
        }
        if (!Thread.currentThread().isVirtual() && wroteHere(job)) {
            return job.await();
        }
        if (closing || !queue.offer(job)) {
            throw refused(closing);
        }
        if (closing && job.claim()) { // its thread may have gone between the two looks
            throw refused(true);
        }
        return job.await();
    }

    /// False if somebody else writes now, or waits to, or nobody may any more.
    private boolean wroteHere(Job<?> job) {
        if (!queue.isEmpty() || writing.hasQueuedThreads() || !writing.tryLock()) {
            return false;
        }
        try {
            if (closing || closed) {
                return false;
            }
            run(job);
            if (sinceCheckpoint >= LONG_LOG) {
                queue.offer(new Job<>(h -> true)); // the writer's thread has time for it
            }
            return true;
        } finally {
            writing.unlock();
        }
    }

    private void run(Job<?> first) {
        int units = batch.run(first, queue);
        sinceCheckpoint += units == 0 ? 0 : 1 + units / LARGE;
    }

    long undone() {
        if (!writing.isHeldByCurrentThread()) {
            throw new IllegalStateException("only a unit that writes may ask");
        }
        return batch.undone();
    }

    static RedomaException refused(boolean closing) {
        return closing
                ? Problem.of(Code.STOPPING, "The database is closing.", "Try again later.").raise()
                : Problem.of(Code.RECORD_FAILED, "Too many calls wait for the database.", "Nothing was changed. Try again later.").raise();
    }

    private void serve() {
        try {
            while (round(queue.poll(IDLE_MS, TimeUnit.MILLISECONDS))) {
                // as long as it is open
            }
        } catch (InterruptedException e) {
            closing = true; // nobody interrupts this thread but a JVM that ends
        } finally {
            writing.lock();
            try {
                closed = true;
                session.close();
            } finally {
                writing.unlock();
            }
        }
    }

    /// False when it was the last one.
    private boolean round(@Nullable Job<?> first) {
        writing.lock();
        try {
            if (first != null) {
                run(first);
            }
            if (closing && queue.isEmpty()) {
                return false;
            }
            if (sinceCheckpoint > 0 && first == null || sinceCheckpoint >= LONG_LOG) {
                checkpoint();
            }
            return true;
        } finally {
            writing.unlock();
        }
    }

    /// Failing is no harm: the log keeps everything, and the next attempt follows the next write.
    private void checkpoint() {
        sinceCheckpoint = 0;
        try {
            session.checkpoint();
        } catch (Exception e) {
            System.getLogger(Writer.class.getName()).log(System.Logger.Level.WARNING, "the database's log was not copied back", e);
            session.close();
        }
    }

    /// See `Store.purge`. By the writer's own thread or a caller's: SQLite's calls are of a platform thread alone.
    boolean purge() {
        if (Thread.currentThread().isVirtual()) {
            var done = new FutureTask<>(this::purge);
            Thread.ofPlatform().daemon().name("store-purge").start(done);
            try {
                return done.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw refused(true);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RedomaException refused ? refused : new IllegalStateException(e.getCause());
            }
        }
        writing.lock();
        try {
            if (closing || closed) {
                throw refused(true);
            }
            return session.truncate();
        } catch (SQLException e) {
            session.close();
            throw Trouble.of(e, file);
        } finally {
            writing.unlock();
        }
    }

    void close() {
        closing = true;
        queue.offer(new Job<>(h -> true)); // wakes the thread
        join(List.of(thread));
        queue.forEach(job -> {
            if (job.claim()) {
                job.fail(refused(true));
            }
        });
    }

    static void join(List<Thread> threads) {
        boolean interrupted = false;
        for (var thread : threads) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(30));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
