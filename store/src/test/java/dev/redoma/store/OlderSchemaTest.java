// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Databases that earlier versions of the program wrote.
class OlderSchemaTest {
    @TempDir
    Path dir;

    @Test
    void whatANameMeantBecomesItsTagLatest() throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + dir.resolve("db")); var sql = connection.createStatement()) {
            sql.executeUpdate("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT");
            sql.executeUpdate(text("V1__start"));
            sql.executeUpdate(text("V2__exit_offset"));
            sql.executeUpdate("INSERT INTO schema_version VALUES (1, 'V1__start'), (2, 'V2__exit_offset')");
            sql.executeUpdate("""
                    INSERT INTO template (digest, name, source, state, layers, size_bytes, created_at, current) VALUES
                    ('sha256:old', 'base', 'tar', 'ready', '[]', 1, 10, 0), ('sha256:new', 'base', 'tar', 'ready', '[]', 1, 20, 1)""");
        }
        try (var store = SqliteStore.open(dir.resolve("db"))) {
            var tags = store.read(tx -> Sql.list(tx, rs -> rs.getString(1) + ":" + rs.getString(2) + " " + rs.getString(3), "SELECT name, tag, digest FROM template_tag"));
            assertThat(tags).containsExactly("base:latest sha256:new");
            var versions = store.read(tx -> Sql.list(tx, rs -> rs.getString(1), "SELECT digest FROM template"));
            assertThat(versions).hasSize(2);
        }
    }

    private static String text(String name) throws Exception {
        try (var in = Schema.class.getResourceAsStream(name + ".sql")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
