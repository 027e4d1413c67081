// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/// A local file that takes its place in one step, once all of it has come.
public final class WholeFile {
    private WholeFile() {}

    /// What fills it; an exception leaves the place as it was.
    public interface Content {
        void to(OutputStream out) throws IOException;
    }

    /// With the mode that any new file of the caller has (its umask).
    public static void write(Path file, Content content) throws IOException {
        var part = folder(file).resolve(".redoma-" + UUID.randomUUID() + ".part");
        Files.createFile(part);
        fill(part, file, content);
    }

    /// One that nobody but its owner can read, from its first byte on.
    public static void secret(Path file, Content content) throws IOException {
        fill(Files.createTempFile(folder(file), ".redoma", ".part"), file, content);
    }

    private static Path folder(Path file) {
        var folder = file.toAbsolutePath().getParent();
        return folder == null ? Path.of(".") : folder;
    }

    private static void fill(Path part, Path file, Content content) throws IOException {
        try {
            try (var out = Files.newOutputStream(part)) {
                content.to(out);
            }
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
