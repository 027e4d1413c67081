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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The directory of all kept output: `spool/<sandbox>/<exec>.out`, readable by the server alone.
final class Spools {
    private static final Logger LOG = LoggerFactory.getLogger(Spools.class);

    private final Path root;
    private final long budget;
    private final ConcurrentHashMap<SandboxId, Long> kept = new ConcurrentHashMap<>();

    /// `budget`: bytes of output kept for a sandbox.
    Spools(Path data, long budget) {
        this.budget = budget;
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

    /// Output of an exec that has ended: up to `exit`, where that is known, or all of it.
    Execs.Output finished(Exec exec, Optional<Long> exit, long offset, boolean untilClosed) {
        try {
            var spool = Spool.recover(path(new SandboxId(exec.sandbox()), new ExecId(exec.id())), Long.MAX_VALUE, exec.droppedBytes());
            if (spool.kept() < exec.outputBytes()) {
                throw new IOException("the spool of " + exec.id() + " has " + spool.kept() + " of " + exec.outputBytes() + " bytes");
            }
            exit.ifPresent(spool::exitedAt);
            var reader = spool.reader(offset, false, untilClosed);
            spool.close();
            return reader;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static dev.redoma.model.RedomaException unreadable(IOException e) {
        return Problem.of(Code.HOST_FAILED, "The kept output cannot be read.", "See the server's log.").raise(e);
    }

    void delete(SandboxId sandbox, ExecId exec) {
        try {
            Spool.delete(path(sandbox, exec));
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /// All output of this one has come. Removes the oldest of its sandbox while they exceed the budget together, and tells which; this one
    /// and those `inUse` stay.
    List<ExecId> settle(ExecFacts last, long size, Predicate<ExecId> inUse) {
        var directory = root.resolve(last.sandbox().value());
        if (size == 0) {
            return List.of();
        }
        long all = kept.merge(last.sandbox(), size, (sum, more) -> sum + more);
        if (all == size) { // the first one since this server started
            all = files(directory).stream().mapToLong(Kept::bytes).sum();
            kept.put(last.sandbox(), all);
        }
        return all <= budget ? List.of() : trim(last, files(directory), inUse);
    }

    private List<ExecId> trim(ExecFacts last, List<Kept> files, Predicate<ExecId> inUse) {
        var removed = new ArrayList<ExecId>();
        long sum = files.stream().mapToLong(Kept::bytes).sum();
        for (var file : files) {
            if (sum > budget && !file.exec().equals(last.id()) && !inUse.test(file.exec())) {
                removed.add(file.exec());
                sum -= file.bytes();
            }
        }
        kept.put(last.sandbox(), sum);
        LOG.info("{}: kept output of {} commands makes room", last.sandbox(), removed.size());
        return removed;
    }

    /// Oldest first.
    private static List<Kept> files(Path directory) {
        try (var all = Files.newDirectoryStream(directory, "*.out")) {
            var found = new ArrayList<Kept>();
            for (var file : all) {
                var name = file.getFileName().toString();
                var facts = Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class);
                found.add(new Kept(new ExecId(name.substring(0, name.length() - 4)), facts.size(), facts.lastModifiedTime().toMillis()));
            }
            found.sort(Comparator.comparingLong(Kept::at));
            return found;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private record Kept(ExecId exec, long bytes, long at) {}

    /// Everything of a sandbox.
    void forget(SandboxId sandbox) {
        kept.remove(sandbox);
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
