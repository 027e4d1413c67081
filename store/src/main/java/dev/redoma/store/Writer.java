// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The one thread that writes: takes whatever waits, as one batch, without ever waiting for more. Thread-safe.
///
/// Its log is copied into the database when nobody waits, and in passing when it has grown a little: the log then begins again
/// at its start, and a commit that overwrites costs about half of one that makes the file longer.
final class Writer {
    private static final int WAITING_MOST = 10_000;
    private static final int IDLE_MS = 250;
    private static final int LONG_LOG = 250;

    private final BlockingQueue<Job<?>> queue = new ArrayBlockingQueue<>(WAITING_MOST);
    private final Session session;
    private final Batch batch;
    private final Thread thread;
    private volatile boolean closing;
    private int sinceCheckpoint; // units; of the writer thread

    Writer(Database database) {
        session = new Session(database, false);
        batch = new Batch(session, database.file());
        thread = Thread.ofPlatform().name("store-writer").daemon().start(this::serve);
    }

    <T extends @Nullable Object> T submit(Job<T> job) {
        if (Thread.currentThread() == thread) {
            throw new IllegalStateException("a write inside a write would wait for itself: use the handle at hand");
        }
        if (closing || !queue.offer(job)) {
            throw refused(closing);
        }
        if (closing && job.claim()) { // its thread may have gone between the two looks
            throw refused(true);
        }
        return job.await();
    }

    static RedomaException refused(boolean closing) {
        return closing
                ? Problem.of(Code.STOPPING, "The database is closing.", "Try again later.").raise()
                : Problem.of(Code.RECORD_FAILED, "Too many calls wait for the database.", "Nothing was changed. Try again later.").raise();
    }

    private void serve() {
        try (session) {
            while (true) {
                var first = queue.poll(IDLE_MS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    sinceCheckpoint += batch.run(first, queue);
                }
                if (closing && queue.isEmpty()) {
                    return;
                }
                if (sinceCheckpoint > 0 && first == null || sinceCheckpoint >= LONG_LOG) {
                    checkpoint();
                }
            }
        } catch (InterruptedException e) {
            closing = true; // nobody interrupts this thread but a JVM that ends
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
