// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/// The directories in which guests' sockets lie: one per sandbox, owned by its range, closed to others. Only the host writes in them.
final class Places {
    private final Path channels;

    Places(Path runDir) {
        this.channels = runDir.resolve("ch");
    }

    /// Makes it anew; whatever an earlier start left is removed.
    Path make(SandboxId id, UidRange range) {
        try {
            Files.createDirectories(channels, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Path dir = of(id);
            remove(id);
            Files.createDirectory(dir, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.setAttribute(dir, "unix:uid", (int) range.base());
            Files.setAttribute(dir, "unix:gid", (int) range.base());
            return dir;
        } catch (IOException e) {
            throw failed(id, e);
        }
    }

    Path of(SandboxId id) {
        return channels.resolve(id.value());
    }

    void remove(SandboxId id) {
        Path dir = of(id);
        try (var entries = Files.newDirectoryStream(dir)) {
            for (Path entry : entries) {
                Files.delete(entry);
            }
            Files.delete(dir);
        } catch (NoSuchFileException gone) {
            // nothing to remove
        } catch (IOException e) {
            throw failed(id, e);
        }
    }

    /// Sandboxes that have a directory.
    List<SandboxId> all() throws IOException {
        var found = new ArrayList<SandboxId>();
        if (Files.isDirectory(channels)) {
            try (var entries = Files.newDirectoryStream(channels, "sb*")) {
                for (Path entry : entries) {
                    found.add(new SandboxId(entry.getFileName().toString()));
                }
            }
        }
        return found;
    }

    private static dev.redoma.model.RedomaException failed(SandboxId id, IOException e) {
        return Problem.of(Code.HOST_FAILED, "The run directory of " + id + " cannot be used.", "See that the run directory is writable and has room.").raise(e);
    }
}
