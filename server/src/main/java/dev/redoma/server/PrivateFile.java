// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;

/// A file that its owner alone may read, replaced in one step. It belongs to whom the directory belongs to.
final class PrivateFile {
    private PrivateFile() {}

    static void write(Path file, byte[] content) throws IOException {
        var directory = file.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IOException("not a file: " + file);
        }
        makeDirectories(directory);
        var fresh = Files.createTempFile(directory, ".new", "", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.write(fresh, content);
            inherit(directory, fresh);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    /// Missing ones belong to whom the nearest one above belongs to.
    private static void makeDirectories(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            var above = directory.getParent();
            if (above != null) {
                makeDirectories(above);
            }
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            if (above != null) {
                inherit(above, directory);
            }
        }
    }

    private static void inherit(Path from, Path to) throws IOException {
        var owner = Files.getFileAttributeView(from, PosixFileAttributeView.class).readAttributes();
        if (!Files.getOwner(to).equals(owner.owner()) && FileSystems.getDefault().equals(to.getFileSystem())) {
            var view = Files.getFileAttributeView(to, PosixFileAttributeView.class);
            view.setGroup(owner.group());
            view.setOwner(owner.owner());
        }
    }
}
