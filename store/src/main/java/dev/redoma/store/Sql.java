// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.ResultSetException;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.jspecify.annotations.Nullable;

/// Statements by position on the handle's saved ones, past Jdbi's own machinery: for those that lie on the way of every sandbox and exec;
/// they take a quarter of the time. Failures are Jdbi's exceptions, as the store expects.
public final class Sql {
    private Sql() {}

    /// From a line to a value.
    public interface Mapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    public static int update(Handle tx, String sql, @Nullable Object... values) {
        try {
            var statement = prepare(tx, sql, values);
            try {
                return statement.executeUpdate();
            } finally {
                tx.getStatementBuilder().close(tx.getConnection(), sql, statement);
            }
        } catch (SQLException e) {
            throw new UnableToExecuteStatementException(e, null);
        }
    }

    public static <T> List<T> list(Handle tx, Mapper<T> mapper, String sql, @Nullable Object... values) {
        try {
            var statement = prepare(tx, sql, values);
            try (var rows = statement.executeQuery()) {
                var list = new ArrayList<T>();
                while (rows.next()) {
                    list.add(mapper.map(rows));
                }
                return list;
            } finally {
                tx.getStatementBuilder().close(tx.getConnection(), sql, statement);
            }
        } catch (SQLException e) {
            throw new ResultSetException(String.valueOf(e.getMessage()), e, null);
        }
    }

    public static <T> @Nullable T first(Handle tx, Mapper<T> mapper, String sql, @Nullable Object... values) {
        var list = list(tx, mapper, sql, values);
        return list.isEmpty() ? null : list.getFirst();
    }

    @SuppressWarnings("NullAway") // Jdbi's context is for its own statements
    private static PreparedStatement prepare(Handle tx, String sql, @Nullable Object... values) throws SQLException {
        var statement = tx.getStatementBuilder().create(tx.getConnection(), sql, null);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
