// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/// A tar as it comes in, seen before anything is done with it: its first member tells whether it may be the archive of an image, which has to
/// be read in another order than it comes in. One thread.
public final class IncomingTar {
    private static final int LOOK = 1 << 16;
    private static final int BUFFER = 1 << 17;
    private static final int MEMBERS = 3;
    private static final Pattern OF_IMAGE = Pattern.compile("(?:blobs|oci-layout|index\\.json|manifest\\.json|repositories|(?:sha256:)?[0-9a-f]{64}(?:\\.json|\\.tar(?:\\.gz)?)?)(?:/.*)?");
    private static final Set<String> OF_ROOT = Set.of("bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc", "root", "run",
            "sbin", "srv", "sys", "tmp", "usr", "var");

    private final InputStream plain;
    private final boolean mayBeImage;

    private IncomingTar(InputStream plain, boolean mayBeImage) {
        this.plain = plain;
        this.mayBeImage = mayBeImage;
    }

    /// Takes off gzip or zstd.
    public static IncomingTar of(InputStream raw) throws IOException {
        try {
            var plain = new BufferedInputStream(Unpacked.of(raw), LOOK);
            plain.mark(LOOK);
            var start = plain.readNBytes(LOOK);
            plain.reset();
            return new IncomingTar(plain, looksLikeImage(start));
        } catch (TarFlaw flaw) {
            throw refused(flaw);
        }
    }

    /// True as well for what has a directory first that no root file system has: an archive may lie in one.
    private static boolean looksLikeImage(byte[] start) {
        var reader = new TarReader(new java.io.ByteArrayInputStream(start));
        try {
            for (int i = 0; i < MEMBERS; i++) {
                var entry = reader.next();
                if (entry == null) {
                    return false;
                }
                var path = TreePath.of(entry.name(), new ImportLimits(MEMBERS, LOOK, 4095, LOOK, 200));
                if (!path.isRoot()) {
                    var first = path.parts().getFirst();
                    return OF_IMAGE.matcher(String.join("/", path.parts())).matches() || entry.kind() == TarEntry.Kind.DIRECTORY && !OF_ROOT.contains(first)
                            || path.parts().size() > 1 && !OF_ROOT.contains(first);
                }
            }
            return false;
        } catch (IOException flaw) {
            return false; // whoever unpacks it says what is wrong
        }
    }

    public boolean mayBeImage() {
        return mayBeImage;
    }

    /// All of it, not compressed.
    public InputStream stream() {
        return plain;
    }

    /// Writes all of it to a file in a directory of ours that has no name any more and is gone when the channel closes; at most so many bytes.
    public FileChannel spool(Path directory, long most) throws IOException {
        var file = FileChannel.open(directory.resolve(".incoming-" + UUID.randomUUID()), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
        try {
            var buffer = new byte[BUFFER];
            long total = 0;
            for (int n = plain.read(buffer); n >= 0; n = plain.read(buffer)) {
                total += n;
                if (total > most) {
                    throw full();
                }
                write(file, ByteBuffer.wrap(buffer, 0, n));
            }
            return file;
        } catch (TarFlaw flaw) {
            file.close();
            throw refused(flaw);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static void write(FileChannel file, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    private static RuntimeException refused(TarFlaw flaw) {
        return Problem.of(Code.ARCHIVE_REFUSED, "the archive is refused: " + flaw.getMessage(), "Make the archive anew.").raise(flaw);
    }

    private static RuntimeException full() {
        return Problem.of(Code.NO_CAPACITY, "there is no room for the archive", "Delete sandboxes, snapshots or templates, or enlarge the pool.").raise();
    }
}
