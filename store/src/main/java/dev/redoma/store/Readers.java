// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// The reading threads, each with a read-only connection, fed from one bounded queue. Thread-safe.
final class Readers {
    private static final int WAITING_MOST = 10_000;

    private final Database database;
    private final BlockingQueue<Job<?>> queue = new ArrayBlockingQueue<>(WAITING_MOST);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closing;

    Readers(Database database, int count) {
        this.database = database;
        for (int i = 0; i < count; i++) {
            threads.add(Thread.ofPlatform().name("store-reader-" + i).daemon().start(this::serve));
        }
    }

    <T extends @Nullable Object> T submit(Job<T> job) {
        if (threads.contains(Thread.currentThread())) {
            throw new IllegalStateException("a read inside a read would wait for itself: use the handle at hand");
        }
        if (closing || !queue.offer(job)) {
            throw Writer.refused(closing);
        }
        if (closing && job.claim()) { // its thread may have gone between the two looks
            throw Writer.refused(true);
        }
        return job.await();
    }

    private void serve() {
        try (var connection = new Session(database, true)) {
            while (true) {
                var job = queue.poll(200, TimeUnit.MILLISECONDS);
                if (job != null && job.claim()) {
                    answer(connection, job);
                }
                if (closing && queue.isEmpty()) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            closing = true; // nobody interrupts this thread but a JVM that ends
        }
    }

    private void answer(Session session, Job<?> job) {
        try {
            Handle handle = session.handle();
            session.execute("BEGIN");
            try {
                job.run(handle);
            } finally {
                handle.clean();
                session.execute("ROLLBACK");
            }
            job.succeed();
        } catch (Throwable e) { // whatever a unit throws belongs to its caller; this thread lives on
            session.dropIf(Trouble.isOwn(e));
            job.fail(e instanceof Error ? e : Trouble.of(e, database.file()));
        }
    }

    void close() {
        closing = true;
        threads.forEach(thread -> queue.offer(new Job<>(h -> true))); // wakes them
        Writer.join(threads);
        queue.forEach(job -> {
            if (job.claim()) {
                job.fail(Problem.of(Code.STOPPING, "The database is closing.", "Try again later.").raise());
            }
        });
    }
}
