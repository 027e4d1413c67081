// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs units that wait together as one transaction, each in a savepoint of its own. Of the writer thread alone.
///
/// Those whom the last commit answered together often come again together. If so few that their commit would be a small one are there yet, it waits
/// for the others, at most as long as a part of what the commit takes. Who comes alone waits for nobody.
///
/// Nobody is answered before the commit. If the transaction itself breaks, every unit in it fails and the connection is made anew.
final class Batch {
    private static final int MOST = 256;
    /// Of what the last commit took; and the most, however slow the disk is.
    private static final int PART = 3;
    private static final long LONGEST_NS = 500_000;

    private final Session session;
    private final Path file;
    private final List<Job<?>> done = new ArrayList<>();
    private long undone;
    /// Of the last batch: how many were answered, when, and what its commit took.
    private int answered;
    private long answeredAt;
    private long commitTook;

    Batch(Session session, Path file) {
        this.session = session;
        this.file = file;
    }

    /// Grows whenever something that a unit did was undone. For units, on the thread that runs them.
    long undone() {
        return undone;
    }

    /// Returns how many units were committed.
    int run(Job<?> first, BlockingQueue<Job<?>> more) {
        done.clear();
        try {
            session.execute("BEGIN IMMEDIATE");
            Job<?> job = first;
            while (job != null) {
                if (job.claim()) {
                    step(job);
                }
                job = done.size() < MOST ? next(more) : null;
            }
            commit();
        } catch (Throwable broken) {
            abandon(first, broken);
            return 0;
        }
        answer();
        return done.size();
    }

    private @Nullable Job<?> next(BlockingQueue<Job<?>> more) {
        var there = more.poll();
        if (there != null || done.size() >= answered) {
            return there;
        }
        long left = answeredAt + Math.min(commitTook / PART, LONGEST_NS) - System.nanoTime();
        try {
            return left <= 0 ? null : more.poll(left, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) { // the caller's own, whose thread this is: the batch goes on
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private void commit() throws SQLException {
        long start = System.nanoTime();
        session.execute("COMMIT");
        commitTook = System.nanoTime() - start;
    }

    /// To wake a virtual thread costs a platform thread ten times as much as it costs another virtual thread: one of them wakes the others.
    private void answer() {
        answered = done.size();
        var waiting = List.copyOf(done);
        if (waiting.size() > 1 && waiting.getFirst().ofVirtual()) {
            Thread.startVirtualThread(() -> waiting.forEach(Job::succeed));
        } else {
            waiting.forEach(Job::succeed);
        }
        answeredAt = System.nanoTime();
    }

    /// Returns normally when the unit succeeded or was undone alone; throws when the transaction is gone with it.
    private void step(Job<?> job) throws SQLException {
        try {
            session.execute("SAVEPOINT unit");
            try {
                job.run(session.handle());
            } finally {
                session.handle().clean();
            }
            session.execute("RELEASE unit");
            done.add(job);
        } catch (Throwable failure) { // whatever a unit throws belongs to its caller
            undo(job, failure);
        }
    }

    private void undo(Job<?> job, Throwable failure) throws SQLException {
        undone++;
        try {
            session.execute("ROLLBACK TO unit");
            session.execute("RELEASE unit");
        } catch (SQLException | RuntimeException gone) { // SQLite itself ended the transaction, as it may on a full disk
            job.fail(Trouble.of(failure, file));
            throw gone;
        }
        job.fail(failure instanceof Error ? failure : Trouble.of(failure, file));
    }

    private void abandon(@Nullable Job<?> first, Throwable broken) {
        undone++;
        session.close();
        if (first != null && first.claim()) {
            done.add(first);
        }
        done.forEach(job -> job.fail(Trouble.lost(file, broken)));
    }
}
