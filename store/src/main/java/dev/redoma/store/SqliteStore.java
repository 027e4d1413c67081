// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The embedded store: one SQLite file in WAL mode. Thread-safe.
///
/// Writes run on one platform thread, reads on a few with read-only connections of their own, because SQLite's native calls
/// would pin the carriers of virtual threads; callers only wait. What cannot be made durable (disk full, read-only, corrupt)
/// is answered with `RECORD_FAILED`, and the store goes on serving once the cause is gone. Generated keys are not offered:
/// use `RETURNING`.
public final class SqliteStore implements Store {
    private static final int READERS = 3;

    private final Writer writer;
    private final Readers readers;

    private SqliteStore(Writer writer, Readers readers) {
        this.writer = writer;
        this.readers = readers;
    }

    /// Opens or creates the file and brings its schema up to date. A schema newer than this program is refused.
    public static SqliteStore open(Path file) {
        var database = new Database(file.toAbsolutePath());
        database.prepare();
        var writer = new Writer(database);
        try {
            return new SqliteStore(writer, new Readers(database, READERS));
        } catch (RuntimeException | Error e) {
            writer.close();
            throw e;
        }
    }

    @Override
    public <T extends @Nullable Object> T write(Unit<T> unit) {
        return writer.submit(new Job<>(unit));
    }

    @Override
    public <T extends @Nullable Object> T read(Unit<T> unit) {
        return readers.submit(new Job<>(unit));
    }

    @Override
    public boolean purge() {
        return writer.purge();
    }

    @Override
    public long undone() {
        return writer.undone();
    }

    /// Finishes what was accepted, then closes; the writer last, so that it leaves a database without a log beside it.
    @Override
    public void close() {
        readers.close();
        writer.close();
    }
}
