// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.FilePatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/// Files that reviews stand on, outside of the pool: a directory for each ended sandbox (0700) with its last change sets. Thread-safe.
final class ReviewHome {
    private static final String SETS = "changes.json.gz";

    private final Path home;

    ReviewHome(Path data) {
        this.home = data.resolve("review");
    }

    /// What is kept of an ended sandbox: against the template, and against the start of its workspace if there was one.
    record Sets(ChangeSet template, List<FilePatch> templatePatches, @Nullable ChangeSet workspace, List<FilePatch> workspacePatches) {}

    Path of(SandboxId sandbox) {
        return home.resolve(sandbox.value());
    }

    /// Durable when this returns.
    void write(SandboxId sandbox, Sets sets) {
        try {
            var dir = made(sandbox);
            var half = dir.resolve(SETS + ".new");
            Files.deleteIfExists(half);
            Files.createFile(half, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            try (var out = new GZIPOutputStream(Files.newOutputStream(half))) {
                out.write(Columns.json(sets).getBytes(StandardCharsets.UTF_8));
            }
            try (var file = FileChannel.open(half, StandardOpenOption.WRITE)) {
                file.force(true);
            }
            Files.move(half, dir.resolve(SETS), StandardCopyOption.ATOMIC_MOVE);
            try (var names = FileChannel.open(dir)) {
                names.force(true);
            }
        } catch (IOException e) {
            throw Problem.of(Code.HOST_FAILED, "The change set of " + sandbox + " cannot be kept.", "See that the data directory is writable and has room.").raise(e);
        }
    }

    Path made(SandboxId sandbox) throws IOException {
        return Files.createDirectories(of(sandbox), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /// Where blobs of artifacts lie; made if it is not there.
    Path artifacts(SandboxId sandbox) {
        try {
            return Files.createDirectories(made(sandbox).resolve("artifacts"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void removeArtifact(SandboxId sandbox, String id) {
        try {
            Files.deleteIfExists(artifacts(sandbox).resolve(id));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Optional<Sets> read(SandboxId sandbox) {
        try (var in = new GZIPInputStream(Files.newInputStream(of(sandbox).resolve(SETS)))) {
            return Optional.of(Columns.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8), Sets.class));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void remove(SandboxId sandbox) {
        try (var all = Files.walk(of(sandbox))) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (NoSuchFileException none) {
            // nothing to remove
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sandboxes that have a directory.
    List<SandboxId> all() throws IOException {
        var found = new ArrayList<SandboxId>();
        if (Files.isDirectory(home)) {
            try (var entries = Files.newDirectoryStream(home, "sb*")) {
                entries.forEach(e -> found.add(new SandboxId(String.valueOf(e.getFileName()))));
            }
        }
        return found;
    }
}
