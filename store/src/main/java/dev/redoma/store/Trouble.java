// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/// Tells the database's own failures (which become `RECORD_FAILED`) from those of a unit (which reach its caller as they are).
final class Trouble {
    private static final Set<SQLiteErrorCode> OWN = Set.of(
            SQLiteErrorCode.SQLITE_FULL, SQLiteErrorCode.SQLITE_IOERR, SQLiteErrorCode.SQLITE_READONLY, SQLiteErrorCode.SQLITE_CORRUPT,
            SQLiteErrorCode.SQLITE_NOTADB, SQLiteErrorCode.SQLITE_CANTOPEN, SQLiteErrorCode.SQLITE_NOMEM, SQLiteErrorCode.SQLITE_BUSY,
            SQLiteErrorCode.SQLITE_LOCKED, SQLiteErrorCode.SQLITE_PERM, SQLiteErrorCode.SQLITE_PROTOCOL);

    private Trouble() {}

    /// What the caller gets for this failure.
    static RuntimeException of(Throwable failure, Path file) {
        var cause = own(failure);
        if (cause != null) {
            return lost(file, cause);
        }
        return failure instanceof RuntimeException e ? e : lost(file, failure);
    }

    /// A unit that was, or may have been, undone with the transaction it shared.
    static RuntimeException lost(Path file, Throwable cause) {
        return Problem.of(Code.RECORD_FAILED, "The database " + file + " could not serve: " + cause.getMessage(),
                        "Nothing was changed. See that its disk has space, is writable and sound, then try again.")
                .raise(cause);
    }

    static boolean isOwn(Throwable failure) {
        return own(failure) != null;
    }

    private static @Nullable Throwable own(Throwable failure) {
        Throwable t = failure;
        for (int depth = 0; t != null && depth < 16; depth++, t = t.getCause()) {
            if (t instanceof IOException || t instanceof SQLException e && OWN.contains(primary(e))) {
                return t;
            }
        }
        return null;
    }

    private static SQLiteErrorCode primary(SQLException e) {
        return SQLiteErrorCode.getErrorCode(e.getErrorCode() & 0xff);
    }
}
