// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Unpacks a hostile root file system tar into an empty directory: within bounds, never outside, all or a problem that names the
/// member.
final class TarImport {
    private static final int REPORT_EVERY = 500;

    private final Dir root;
    private final ImportLimits limits;
    private final Consumer<Pool.Progress> progress;
    private long entries;
    private long bytes;
    private @Nullable TarEntry current;

    TarImport(Dir root, ImportLimits limits, Consumer<Pool.Progress> progress) {
        this.root = root;
        this.limits = limits;
        this.progress = progress;
    }

    /// Returns what was unpacked and what was left out.
    Outcome run(InputStream tar) {
        try (var extraction = new Extraction(root, limits, null)) {
            members(new TarReader(Unpacked.of(tar)), extraction);
            if (entries == 0) {
                throw new TarFlaw("it is empty");
            }
            extraction.completeRoot();
            return new Outcome(entries, bytes, extraction.dropped(), extraction.directoryTimes());
        } catch (KernelException | IOException e) {
            throw translated(e);
        }
    }

    /// A layer of an image over others; the stream is read to its end.
    Outcome layer(InputStream tar, String diffId, Beneath beneath) {
        try (var extraction = new Extraction(root, limits, beneath)) {
            var plain = new DigestStream(Unpacked.of(tar), limits.stream());
            members(new TarReader(plain), extraction);
            current = null;
            plain.rest();
            drain(tar);
            String digest = plain.digest();
            if (!digest.equals(diffId)) {
                throw new TarFlaw("its content has the digest " + digest + " and not " + diffId + " as its image says");
            }
            beneath.settle();
            extraction.setTimes(beneath);
            return new Outcome(entries, bytes, extraction.dropped(), java.util.Map.of());
        } catch (KernelException | IOException e) {
            throw translated(e);
        }
    }

    /// What follows the compressed data counts to the digest of the whole.
    private void drain(InputStream tar) throws IOException {
        long left = limits.bytes();
        var scrap = new byte[1 << 13];
        for (int n = tar.read(scrap); n >= 0; n = tar.read(scrap)) {
            left -= n;
            if (left < 0) {
                throw new TarFlaw("it does not end");
            }
        }
    }

    private void members(TarReader reader, Extraction extraction) throws IOException {
        try {
            while ((current = reader.next()) != null) {
                admit(current);
                extraction.take(current, reader);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void admit(TarEntry entry) throws TarFlaw {
        bytes += entry.size();
        if (++entries > limits.entries()) {
            throw new TarFlaw("it has more than " + limits.entries() + " members");
        }
        if (bytes > limits.bytes() || bytes < 0) {
            throw new TarFlaw("its content is larger than the " + limits.bytes() + " bytes that there is room for");
        }
        if (entries % REPORT_EVERY == 0) {
            progress.accept(new Pool.Progress("unpacking", entries, 0));
        }
    }

    private RuntimeException translated(Exception failed) {
        if (!(failed instanceof KernelException e)) {
            return refused(failed.getMessage() == null ? "it cannot be read" : failed.getMessage(), current).raise();
        }
        if (e.is(Errno.ENOSPC, Errno.EDQUOT)) {
            return Problem.of(Code.NO_CAPACITY, "the pool is full", "Delete sandboxes, snapshots or templates, or enlarge the pool.").raise(e);
        }
        if (e.is(Errno.ENOTDIR, Errno.ELOOP, Errno.ENAMETOOLONG, Errno.EEXIST, Errno.ENOENT, Errno.EISDIR, Errno.ENOTEMPTY, Errno.EINVAL)) {
            return refused("it does not fit what was unpacked before: " + Errno.name(e.errno()), current).raise(e);
        }
        return e;
    }

    private static Problem refused(String why, @Nullable TarEntry entry) {
        var problem = Problem.of(Code.ARCHIVE_REFUSED, "the archive is refused: " + why, "Make the archive anew without it.");
        if (entry == null) {
            return problem;
        }
        var member = Names.printable(entry.name());
        member = member.length() > 300 ? member.substring(0, 300) + "…" : member;
        return Problem.of(Code.ARCHIVE_REFUSED, "the archive is refused at member '" + member + "': " + why, problem.remedy())
                .with("member", member);
    }

    /// `directoryTimes` by inode: to be set when nothing more is written.
    record Outcome(long entries, long bytes, Dropped dropped, java.util.Map<Long, java.time.Instant> directoryTimes) {}

    /// What was left out: device nodes, capabilities (whole or in part), and other attributes.
    record Dropped(int devices, int capabilities, int attributes) {}
}
