// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/// The schema's versions in order. Each is applied once, in a transaction with its row in `schema_version`.
final class Schema {
    private static final List<String> VERSIONS = List.of("V1__start", "V2__exit_offset", "V3__volumes", "V4__template_tags", "V5__builds", "V6__snapshot_contents", "V7__policy", "V8__egress", "V9__exposure", "V10__people", "V11__approvals", "V12__review", "V13__artifacts", "V14__redaction", "V15__egress_way", "V16__attach");

    private Schema() {}

    static void migrate(Connection connection, Path file) throws SQLException {
        try (var sql = connection.createStatement()) {
            if (current(sql, file) == VERSIONS.size()) {
                return;
            }
            sql.execute("BEGIN IMMEDIATE");
            try {
                sql.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT");
                for (int done = current(sql, file); done < VERSIONS.size(); done++) {
                    apply(sql, done + 1, VERSIONS.get(done));
                }
                sql.execute("COMMIT");
            } catch (SQLException | RuntimeException e) {
                sql.execute("ROLLBACK");
                throw e;
            }
        }
    }

    private static int current(Statement sql, Path file) throws SQLException {
        try (var table = sql.executeQuery("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'")) {
            if (!table.next()) {
                return 0;
            }
        }
        try (var last = sql.executeQuery("SELECT version, name FROM schema_version ORDER BY version DESC LIMIT 1")) {
            if (!last.next()) {
                return 0;
            }
            int version = last.getInt(1);
            if (version > VERSIONS.size()) {
                throw tooNew(file, last.getString(2));
            }
            return version;
        }
    }

    private static RuntimeException tooNew(Path file, String name) {
        return Problem.of(Code.HOST_FAILED, "The database " + file + " has the schema " + name + ", newer than this program's "
                        + VERSIONS.getLast() + ".", "Run the version of Redoma that wrote it, or a newer one.")
                .with("schema", name)
                .raise();
    }

    private static void apply(Statement sql, int version, String name) throws SQLException {
        sql.executeUpdate(text(name));
        sql.executeUpdate("INSERT INTO schema_version (version, name) VALUES (" + version + ", '" + name + "')");
    }

    private static String text(String name) {
        try (var in = Schema.class.getResourceAsStream(name + ".sql")) {
            if (in == null) {
                throw new IllegalStateException("the program lacks its schema " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
