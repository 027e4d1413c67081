// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.statement.DefaultStatementBuilder;
import org.jdbi.v3.core.statement.StatementContext;

/// Keeps the prepared statements of one connection for their next use (the driver itself prepares anew each time). A statement in
/// use is out of the map, so the same text may be used within itself. Not thread-safe: a connection has one thread.
final class SavedStatements extends DefaultStatementBuilder {
    private static final int MOST = 200;

    private final Map<String, PreparedStatement> idle = new LinkedHashMap<>(64, 0.75f, true);

    @Override
    public PreparedStatement create(Connection connection, String sql, StatementContext context) throws SQLException {
        var saved = idle.remove(sql);
        return saved != null ? saved : connection.prepareStatement(sql);
    }

    @Override
    public void close(Connection connection, String sql, Statement statement) throws SQLException {
        if (!(statement instanceof PreparedStatement prepared) || statement.isClosed()) {
            statement.close();
            return;
        }
        prepared.clearParameters();
        var twin = idle.put(sql, prepared);
        if (twin != null) {
            twin.close();
        }
        shrink();
    }

    private void shrink() throws SQLException {
        Iterator<PreparedStatement> oldest = idle.values().iterator();
        while (idle.size() > MOST) {
            var statement = oldest.next();
            oldest.remove();
            statement.close();
        }
    }

    /// The connection is being closed, which ends its statements with it.
    @Override
    public void close(Connection connection) {
        idle.clear();
    }
}
