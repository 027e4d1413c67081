// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.wire.Sandbox;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a server keeps is its user's alone: arguments of commands and the environment of sandboxes lie in the database as they are.
@Timeout(120)
class DataModesTest {

    /// Nobody else gets below a directory that is its owner's alone.
    private static List<String> readableByOthers(Path root) throws IOException {
        var found = new ArrayList<String>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes facts) throws IOException {
                check(directory);
                return directory.equals(root) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
                check(file);
                return FileVisitResult.CONTINUE;
            }

            private void check(Path at) throws IOException {
                var mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(at));
                if (!mode.endsWith("------")) {
                    found.add(mode + " " + root.relativize(at));
                }
            }
        });
        return found;
    }

    @Test
    void theDataDirectoryAndAllThatLiesInItAreTheServersAlone() throws Exception {
        try (var server = RealServer.start(Map.of("REDOMA_AUDIT_CHECKPOINT", "200ms"))) {
            var box = server.post("/v1/sandboxes", Map.of("env", Map.of("SECRET", "in-clear")), Sandbox.class);
            server.post("/v1/sandboxes/" + box.id() + "/execs", Map.of("argv", List.of("echo", "an-argument")));
            org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(60)).until(() -> Files.exists(server.data().resolve("heads.log")));
            assertThat(Files.getPosixFilePermissions(server.data())).isEqualTo(PosixFilePermissions.fromString("rwx------"));
            for (var name : Set.of("redoma.db", "redoma.db-wal", "redoma.db-shm", "ledger.key", "bodies.key", "heads.log")) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.data().resolve(name)))).as(name).isEqualTo("rw-------");
            }
            assertThat(readableByOthers(server.data())).isEmpty();
        }
    }
}
