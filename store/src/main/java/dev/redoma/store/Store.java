// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import org.jdbi.v3.core.Handle;

/// The database. Thread-safe; calls block the (virtual) thread until done.
///
/// Writes run one after another on the store's writer thread; units that wait together are committed together (group commit),
/// each in a savepoint of its own, so a unit that throws is undone alone and its exception reaches its caller. When `write`
/// returns, the unit is durable (fsynced).
public interface Store extends AutoCloseable {

    <T extends @org.jspecify.annotations.Nullable Object> T write(Unit<T> unit);

    /// Reads a consistent state; never blocks the writer.
    <T extends @org.jspecify.annotations.Nullable Object> T read(Unit<T> unit);

    /// Within a unit of `write`: another number than before once anything that a unit did was undone. What is remembered of earlier units holds
    /// as long as it is the same.
    long undone();

    /// What was overwritten or deleted before is no longer in the database's log when it returns true. False while somebody reads an older state: try again.
    boolean purge();

    @Override
    void close();

    /// A unit of work on a handle that must not outlive it.
    @FunctionalInterface
    interface Unit<T extends @org.jspecify.annotations.Nullable Object> {
        T run(Handle handle);
    }
}
