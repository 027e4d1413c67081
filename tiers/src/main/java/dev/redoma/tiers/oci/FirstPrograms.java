// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ConcurrentHashMap;

/// Copies of the first program, one for each circle of sandboxes that may share memory: a hole by which the page cache of a read-only
/// file can be written then leads no further. On the run directory's tmpfs, made anew by each server. Thread-safe.
final class FirstPrograms {
    private final Path original;
    private final Path directory;
    private final ConcurrentHashMap<String, Path> copies = new ConcurrentHashMap<>();

    FirstPrograms(Path original, Path directory) {
        this.original = original;
        this.directory = directory;
    }

    /// The circle's own; one that an earlier server made is replaced, and kept by those whom it runs.
    Path of(String circle) {
        return copies.computeIfAbsent(circle, this::copy);
    }

    private Path copy(String circle) {
        try {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            var fresh = directory.resolve("." + circle + ".new");
            Files.copy(original, fresh, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("r-xr-xr-x"));
            return Files.move(fresh, directory.resolve(circle), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Nobody of this circle is left.
    void drop(String circle) {
        try {
            copies.remove(circle);
            Files.deleteIfExists(directory.resolve(circle));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
