// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.ExecId;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The directory of all kept output: `spool/<sandbox>/<exec>.out`, readable by the server alone.
final class Spools {
    private final Path root;

    Spools(Path data) {
        this.root = data.resolve("spool");
        try {
            Files.createDirectories(root);
            Files.setPosixFilePermissions(root, java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw Problem.of(Code.HOST_FAILED, "The directory for output cannot be made: " + root, "Check the data directory.").raise(e);
        }
    }

    private Path path(SandboxId sandbox, ExecId exec) {
        return root.resolve(sandbox.value()).resolve(exec.value());
    }

    Spool fresh(ExecFacts facts) {
        return new Spool(path(facts.sandbox(), facts.id()), facts.outputLimit());
    }

    Spool recover(ExecRows.Unfinished row) {
        var facts = row.facts();
        try {
            return Spool.recover(path(facts.sandbox(), facts.id()), facts.outputLimit(), row.seen().droppedBytes());
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /// Output of an exec that has ended, all of it.
    Execs.Output finished(Exec exec, long offset) {
        try {
            var spool = Spool.recover(path(new SandboxId(exec.sandbox()), new ExecId(exec.id())), Long.MAX_VALUE, exec.droppedBytes());
            if (spool.kept() < exec.outputBytes()) {
                throw new IOException("the spool of " + exec.id() + " has " + spool.kept() + " of " + exec.outputBytes() + " bytes");
            }
            var reader = spool.reader(offset, false, false);
            spool.close();
            return reader;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static dev.redoma.model.RedomaException unreadable(IOException e) {
        return Problem.of(Code.HOST_FAILED, "The kept output cannot be read.", "See the server's log.").raise(e);
    }

    void delete(ExecFacts facts) {
        try {
            Spool.delete(path(facts.sandbox(), facts.id()));
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /// Everything of a sandbox.
    void forget(SandboxId sandbox) {
        var directory = root.resolve(sandbox.value());
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (var files = Files.newDirectoryStream(directory)) {
            for (var file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }
}
