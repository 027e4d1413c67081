// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.FsStat;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Open;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// An archive from outside (tar, plain or compressed with gzip or zstd, or zip), whole in a file without a name and looked through: what is
/// wrong with it has been refused, and nothing has been unpacked. Closing frees the file, as the end of the process does.
public final class Incoming implements AutoCloseable {
    public static final long ROOM = -1;
    private static final int O_TMPFILE = 0x41_0000;
    private static final int CHUNK = 1 << 18;
    private static final int ENTRIES = 500_000;

    private final Fd file;
    private final boolean zip;
    private final ImportLimits limits;
    private ArchiveCheck.Found found = new ArchiveCheck.Found(0, 0);

    private Incoming(Fd file, boolean zip, ImportLimits limits) {
        this.file = file;
        this.zip = zip;
        this.limits = limits;
    }

    /// `directory`: a host directory on whose file system it waits; at most half of what is free there is taken. `most`: bytes unpacked
    /// (ROOM: as many as are free there).
    public static Incoming receive(Path directory, InputStream in, long most) throws IOException {
        try (var dir = Dir.open(directory)) {
            long free = FsStat.of(dir.fd()).available();
            var file = dir.openAt(".", O_TMPFILE | Open.RDWR, 0600);
            try {
                long size = spool(in, file, free / 2);
                var incoming = new Incoming(file, isZip(file), new ImportLimits(ENTRIES, most == ROOM ? free : most, 4095, 16_384, 200));
                incoming.check(size);
                return incoming;
            } catch (RuntimeException | IOException | Error failed) {
                file.close();
                throw failed;
            }
        }
    }

    private static long spool(InputStream in, Fd to, long most) throws IOException {
        long size = 0;
        try (var arena = Arena.ofConfined()) {
            var segment = arena.allocate(CHUNK, 4096);
            var piece = new byte[CHUNK];
            for (int n; (n = in.read(piece)) >= 0; size += n) {
                if (size + n > most) {
                    throw Problem.of(Code.NO_CAPACITY, "The host has no room for this archive.", "Send it in parts, or free the pool.").with("resource", "disk").raise();
                }
                MemorySegment.copy(piece, 0, segment, ValueLayout.JAVA_BYTE, 0, n);
                to.write(segment.asSlice(0, n));
            }
        }
        return size;
    }

    private static boolean isZip(Fd file) {
        byte[] start = file.readAll(4);
        return start.length == 4 && start[0] == 'P' && start[1] == 'K' && (start[2] == 3 && start[3] == 4 || start[2] == 5 && start[3] == 6);
    }

    private void check(long packed) throws IOException {
        read(reader -> found = new ArchiveCheck(limits, packed).through(reader));
    }

    public long entries() {
        return found.entries();
    }

    /// Bytes of content.
    public long bytes() {
        return found.bytes();
    }

    /// Writes it as a plain tar.
    public void tarTo(OutputStream out) throws IOException {
        read(reader -> {
            var tar = new TarSink(out);
            for (var entry = reader.next(); entry != null; entry = reader.next()) {
                tar.put(entry, reader::read);
            }
            tar.finish();
        });
    }

    /// Unpacks it below a directory of the tree, which is made if absent. What is in its way there is refused before anything is written.
    public void into(Tree tree, String path) throws IOException {
        var parts = TreePaths.parts("path", path);
        try (var there = new Dir(tree.root().openInside(TreePaths.join(parts), Open.RDONLY | Open.DIRECTORY, 0)); var unpacking = unpacking(there, tree)) {
            read(unpacking::check);
        } catch (KernelException e) {
            if (!e.is(Errno.ENOENT)) {
                throw TreePaths.refused(e, path);
            }
        }
        try (var made = tree.made(parts); var unpacking = unpacking(made, tree)) {
            read(unpacking::write);
        } catch (KernelException e) {
            throw TreePaths.refused(e, path);
        }
    }

    private Unpacking unpacking(Dir dir, Tree tree) {
        return new Unpacking(dir, tree.uid(), tree.gid(), limits);
    }

    private interface Work {
        void with(ArchiveReader reader) throws IOException;
    }

    /// A channel of its own each time, at the beginning of the file.
    private void read(Work work) throws IOException {
        try (var channel = FileChannel.open(file.path(), StandardOpenOption.READ)) {
            if (zip) {
                try (var reader = new ZipReader(channel, ENTRIES)) {
                    work.with(reader);
                }
            } else {
                work.with(new TarReader(Unpacked.of(Channels.newInputStream(channel))));
            }
        } catch (TarFlaw flaw) {
            if (flaw.isNoTar()) {
                throw Problem.of(Code.ARCHIVE_REFUSED, "The file is neither a tar (plain, gzip or zstd) nor a zip. Nothing was written.", "Send an archive; a single file goes with 'redoma cp'.")
                        .with("written", "nothing").raise(flaw);
            }
            throw refused(String.valueOf(flaw.getMessage()), flaw.member(), flaw);
        } catch (EOFException | java.util.zip.ZipException cut) {
            throw refused(cut.getMessage() == null ? "it is cut" : cut.getMessage(), null, cut);
        }
    }

    private static RedomaException refused(String why, @Nullable String name, IOException cause) {
        var remedy = "Make the archive anew without it.";
        if (name == null) {
            return Problem.of(Code.ARCHIVE_REFUSED, "The archive is refused: " + why + ". Nothing was written.", remedy).with("written", "nothing").raise(cause);
        }
        var printable = Names.printable(name);
        var member = printable.length() > 300 ? printable.substring(0, 300) + "…" : printable;
        return Problem.of(Code.ARCHIVE_REFUSED, "The archive is refused at member '" + member + "': " + why + ". Nothing was written.", remedy)
                .with("member", member).with("written", "nothing").raise(cause);
    }

    /// What the kernel refuses while members are written.
    static RedomaException refused(KernelException e, TarEntry entry) {
        if (e.is(Errno.ENOSPC, Errno.EDQUOT)) {
            return Problem.of(Code.DISK_FULL, "The volume is full at member '" + Names.printable(entry.name()) + "'; those before it are there.",
                    "Remove files, or make it larger.").with("member", Names.printable(entry.name())).with("written", "some").raise(e);
        }
        return e;
    }

    @Override
    public void close() {
        file.close();
    }
}
