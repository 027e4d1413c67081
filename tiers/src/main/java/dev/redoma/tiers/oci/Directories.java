// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/// Removal of directories of our own (never of what a sandbox may still write to).
final class Directories {
    private Directories() {}

    static void delete(Path dir) {
        if (!Files.exists(dir)) {
            return;
        }
        try (var files = Files.walk(dir)) {
            for (var path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
