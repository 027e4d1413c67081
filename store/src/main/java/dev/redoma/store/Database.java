// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatements;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig.TempStore;

/// The file and how it is opened. Thread-safe; whoever opens a handle closes it.
final class Database {
    static final int BUSY_MS = 5_000;
    private static final int LOG_LIMIT_BYTES = 64 << 20;

    private final Path file;

    Database(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /// Makes the file (readable by its owner alone; SQLite gives its log files the same mode) and migrates the schema.
    void prepare() {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException present) {
            // opened below
        } catch (IOException e) {
            throw Trouble.of(e, file);
        }
        try (var connection = connect(false)) {
            Schema.migrate(connection, file);
        } catch (SQLException e) {
            throw Trouble.of(e, file);
        }
    }

    Handle open(boolean readOnly) {
        try {
            var jdbi = Jdbi.create(() -> connect(readOnly));
            // what a unit leaves half-read would hold the log back: Handle.clean() closes it
            jdbi.configure(SqlStatements.class, statements -> statements.setAttachAllStatementsForCleanup(true));
            jdbi.setTransactionHandler(new UnitTransactions());
            jdbi.setStatementBuilderFactory(connection -> new SavedStatements());
            return jdbi.open();
        } catch (RuntimeException e) {
            throw Trouble.of(e, file);
        }
    }

    private Connection connect(boolean readOnly) throws SQLException {
        var config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_MS);
        config.enforceForeignKeys(true);
        config.setTempStore(TempStore.MEMORY);
        config.setGetGeneratedKeys(false); // saves a look-up after each insert
        if (readOnly) {
            config.setReadOnly(true);
        } else {
            config.setJournalMode(JournalMode.WAL);
            config.setSynchronous(SynchronousMode.FULL);
            config.setPragma(SQLiteConfig.Pragma.SECURE_DELETE, "true"); // what is erased must not linger in free pages
            config.setWalAutocheckpoint(0); // the writer does it when nobody waits
            config.setJournalSizeLimit(LOG_LIMIT_BYTES);
        }
        return config.createConnection("jdbc:sqlite:" + file);
    }
}
