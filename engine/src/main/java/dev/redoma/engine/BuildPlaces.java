// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.BuildId;
import dev.redoma.pool.TarIndex;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;

/// Where builds keep their logs and, while they are at work, the files that came with them: one directory each below `builds`.
final class BuildPlaces {
    private static final String FILES = "files.tar";

    private final Path home;
    private final TarIndex.Bounds bounds;

    BuildPlaces(Path dataDir, EngineConfig.Building config) {
        this.bounds = new TarIndex.Bounds(config.members(), config.bytes());
        this.home = dataDir.resolve("builds");
    }

    void make(BuildId id) {
        try {
            Files.createDirectories(home.resolve(id.value()), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path log(BuildId id) {
        return home.resolve(id.value()).resolve("log");
    }

    /// Keeps what was sent, and what is in it.
    TarIndex take(BuildId id, InputStream tar) throws IOException {
        Path to = home.resolve(id.value()).resolve(FILES);
        TarIndex.spool(tar, to, bounds);
        return TarIndex.read(to, bounds);
    }

    void removeFiles(BuildId id) {
        delete(home.resolve(id.value()).resolve(FILES));
    }

    void remove(BuildId id) {
        removeFiles(id);
        delete(log(id));
        delete(home.resolve(id.value()));
    }

    /// All builds that have a directory.
    List<BuildId> all() {
        if (!Files.isDirectory(home)) {
            return List.of();
        }
        try (var list = Files.list(home)) {
            return list.map(p -> p.getFileName().toString()).filter(BuildId::looksLike).map(BuildId::new).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean olderThan(BuildId id, Instant old) {
        try {
            return Files.getLastModifiedTime(home.resolve(id.value())).toInstant().isBefore(old);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
