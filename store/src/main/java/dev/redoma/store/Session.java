// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// One thread's connection, opened when first needed and again after it was dropped for a failure. Not thread-safe.
final class Session implements AutoCloseable {
    private final Database database;
    private final boolean readOnly;
    private @Nullable Handle handle;
    private final Map<String, PreparedStatement> control = new HashMap<>();

    Session(Database database, boolean readOnly) {
        this.database = database;
        this.readOnly = readOnly;
    }

    Handle handle() {
        var open = handle;
        if (open == null) {
            open = database.open(readOnly);
            handle = open;
        }
        return open;
    }

    /// Transaction control, past Jdbi, which would want transactions of its own. No statement that returns rows.
    void execute(String sql) throws SQLException {
        var statement = control.get(sql);
        if (statement == null) {
            statement = handle().getConnection().prepareStatement(sql);
            control.put(sql, statement);
        }
        statement.execute();
    }

    void checkpoint() throws SQLException {
        try (var statement = handle().getConnection().createStatement()) {
            statement.execute("PRAGMA wal_checkpoint(PASSIVE)");
        }
    }

    /// Copies all of the log into the database and cuts it to nothing. False where somebody still reads from it.
    boolean truncate() throws SQLException {
        try (var statement = handle().getConnection().createStatement()) {
            statement.execute("PRAGMA busy_timeout = 0"); // nobody may write while this waits
            try (var row = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
                return row.next() && row.getInt(1) == 0;
            } finally {
                statement.execute("PRAGMA busy_timeout = " + Database.BUSY_MS);
            }
        }
    }

    void dropIf(boolean broken) {
        if (broken) {
            close();
        }
    }

    /// Closing a connection undoes what it had not committed.
    @Override
    public void close() {
        var open = handle;
        handle = null;
        control.clear();
        if (open != null) {
            try {
                open.close();
            } catch (RuntimeException e) {
                System.getLogger(Session.class.getName()).log(System.Logger.Level.WARNING, "a database connection did not close cleanly", e);
            }
        }
    }
}
