// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// Runs units that wait together as one transaction, each in a savepoint of its own. Of the writer thread alone.
///
/// Nobody is answered before the commit. If the transaction itself breaks, every unit in it fails and the connection is made anew.
final class Batch {
    private static final int MOST = 256;

    private final Session session;
    private final Path file;
    private final List<Job<?>> done = new ArrayList<>();
    private long undone;

    Batch(Session session, Path file) {
        this.session = session;
        this.file = file;
    }

    /// Grows whenever something that a unit did was undone. For units, on the thread that runs them.
    long undone() {
        return undone;
    }

    /// Returns how many units were committed.
    int run(Job<?> first, Queue<Job<?>> more) {
        done.clear();
        try {
            session.execute("BEGIN IMMEDIATE");
            Job<?> job = first;
            while (job != null) {
                if (job.claim()) {
                    step(job);
                }
                job = done.size() < MOST ? more.poll() : null;
            }
            session.execute("COMMIT");
        } catch (Throwable broken) {
            abandon(first, broken);
            return 0;
        }
        done.forEach(Job::succeed);
        return done.size();
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
