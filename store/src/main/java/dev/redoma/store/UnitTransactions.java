// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.transaction.TransactionHandler;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/// A unit already is a transaction: asking for one inside it joins it, and ending it by hand is refused. Stateless.
final class UnitTransactions implements TransactionHandler {

    @Override
    public <R, X extends Exception> R inTransaction(Handle handle, HandleCallback<R, X> callback) throws X {
        return callback.withHandle(handle);
    }

    @Override
    public <R, X extends Exception> R inTransaction(Handle handle, TransactionIsolationLevel level, HandleCallback<R, X> callback) throws X {
        return callback.withHandle(handle);
    }

    /// As Jdbi asks: nothing that it began and would have to end.
    @Override
    public boolean isInTransaction(Handle handle) {
        return false;
    }

    @Override
    public void begin(Handle handle) {
        throw refused();
    }

    @Override
    public void commit(Handle handle) {
        throw refused();
    }

    @Override
    public void rollback(Handle handle) {
        throw refused();
    }

    @Override
    public void savepoint(Handle handle, String name) {
        throw refused();
    }

    @Override
    public void rollbackToSavepoint(Handle handle, String name) {
        throw refused();
    }

    @Override
    public void releaseSavepoint(Handle handle, String name) {
        throw refused();
    }

    private static IllegalStateException refused() {
        return new IllegalStateException("a unit is one transaction: it is undone by throwing, and done by returning");
    }
}
