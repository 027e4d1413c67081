// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/// A local file that takes its place in one step, once all of it has come.
public final class WholeFile {
    private WholeFile() {}

    /// What fills it; an exception leaves the place as it was.
    public interface Content {
        void to(OutputStream out) throws IOException;
    }

    public static void write(Path file, Content content) throws IOException {
        var folder = file.toAbsolutePath().getParent();
        var part = Files.createTempFile(folder == null ? Path.of(".") : folder, ".redoma", ".part");
        try {
            try (var out = Files.newOutputStream(part)) {
                content.to(out);
            }
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }
}
