// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.Artifact;
import dev.redoma.model.wire.ArtifactCollection;
import dev.redoma.pool.Artifacts;
import dev.redoma.pool.Outgoing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/// Keeps files of sandboxes as blobs of ours, bounded for each sandbox, until what is kept of it goes. Thread-safe; one collection of a sandbox at a time is its caller's matter.
final class ArtifactKeeping {
    /// Of one sandbox.
    static final int FILES = 1000;
    static final long BYTES = 256L << 20;

    private final Core core;
    private final ReviewHome home;
    private final ReviewRecords records;

    ArtifactKeeping(Core core, ReviewHome home, ReviewRecords records) {
        this.core = core;
        this.home = home;
        this.records = records;
    }

    /// What was declared at the create, or by the policy in force.
    List<String> declared(SandboxRow row, ReviewRow review) {
        var policy = core.policies().standing(row).stack().artifacts();
        return java.util.stream.Stream.concat(review.patterns().stream(), policy.stream()).distinct().toList();
    }

    /// Copies what matches now. `why`: `end` or `asked`.
    ArtifactCollection collect(SandboxRow row, Path upper, Optional<String> root, List<String> patterns, String why, String actor) {
        var there = core.store().read(tx -> ArtifactRows.of(tx, row.id()));
        Artifacts.Taken taken;
        try {
            long room = Math.max(0, Files.getFileStore(home.made(row.id())).getUsableSpace() - core.config().reserve().diskBytes());
            long bytes = Math.min(room, BYTES - there.stream().mapToLong(Artifact::size).sum());
            taken = Artifacts.collect(upper, root.orElse("/"), root.isEmpty(), patterns, home.artifacts(row.id()), () -> UUID.randomUUID().toString(), FILES - there.size(), bytes);
        } catch (IOException e) {
            throw Problem.of(Code.HOST_FAILED, "Artifacts of " + row.id() + " cannot be kept: " + e.getMessage(), "See that the data directory is writable and has room.").raise(e);
        }
        var now = core.now();
        var made = taken.kept().stream().map(k -> new Artifact(k.name(), k.path(), k.size(), k.mode(), k.digest(), k.modified(), now, why)).toList();
        core.store().write(tx -> {
            ReviewRows.exists(tx, row);
            made.forEach(a -> ArtifactRows.put(tx, row.id(), a));
            records.artifacts(tx, row, actor, why, made, taken.more());
            return true;
        });
        var paths = made.stream().map(Artifact::path).collect(Collectors.toSet());
        there.stream().filter(old -> paths.contains(old.path())).forEach(old -> home.removeArtifact(row.id(), old.id()));
        return new ArtifactCollection(made, taken.leftOut(), taken.more());
    }

    /// As of the record: its bytes are what its digest says, or it is refused.
    InputStream open(SandboxId sandbox, Artifact a) {
        try {
            return Files.newInputStream(home.artifacts(sandbox).resolve(a.id()), LinkOption.NOFOLLOW_LINKS, StandardOpenOption.READ);
        } catch (IOException e) {
            throw Problem.of(Code.FILE_NOT_FOUND, "The artifact is not there any more.", "List those that are.").with("path", a.path()).raise(e);
        }
    }

    void pack(SandboxId sandbox, Outgoing.Format format, List<Artifact> which, OutputStream out) throws IOException {
        var dir = home.artifacts(sandbox);
        Artifacts.pack(format, which.stream().map(a -> new Artifacts.Packed(dir.resolve(a.id()), a.path(), a.size(), a.mode(), a.modifiedAt())).toList(), out);
    }
}
