// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// SHA-256 of files and targets of links, as change sets tell them. Opens nothing but regular files, never through a link, and reads no more than its bounds: what is beyond them, or does not
/// stand still, has none. Holes are not read; their zeros are part of the digest all the same, which takes time and costs whoever makes them nothing, so they have a bound of their own. One thread.
final class ContentDigest implements AutoCloseable {
    private static final int CHUNK = 1 << 18;
    private static final int TRIES = 3;
    /// Smaller files are read as if they had no holes.
    private static final int SPARSE = 1 << 20;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(CHUNK).asReadOnlyBuffer();

    private final long largest;
    private long left;
    private long holes;
    private final long deadline;
    private final ByteBuffer zeros = ZEROS.duplicate();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(CHUNK, 4096);
    private final ByteBuffer bytes = buffer.asByteBuffer();
    private final MessageDigest hash = sha256();

    /// `largest`: of one file; `all`: together; `holes`: of these; `deadline` of `System.nanoTime`.
    ContentDigest(long largest, long all, long holes, long deadline) {
        this.largest = largest;
        this.left = all;
        this.holes = holes;
        this.deadline = deadline;
    }

    @Nullable String of(Dir dir, String name, Stat stat) {
        return switch (stat.type()) {
            case FILE -> stat.size() > largest || stat.size() > left ? null : file(dir, name, stat);
            case SYMLINK -> text(dir.readlink(name));
            case DIRECTORY, FIFO, SOCKET, CHAR, BLOCK -> null;
        };
    }

    private @Nullable String file(Dir dir, String name, Stat seen) {
        var before = seen;
        for (int i = 0; i < TRIES; i++) {
            try (var file = dir.openAt(name, Open.RDONLY | Open.NONBLOCK, 0)) {
                long size = read(file, before.size());
                if (size < 0) {
                    return null;
                }
                var after = file.stat();
                if (after.type() != Stat.Type.FILE) {
                    return null;
                }
                if (size == after.size() && before.inode() == after.inode() && before.changed().equals(after.changed())) {
                    return hex();
                }
                before = after;
            } catch (KernelException other) {
                if (!other.is(Errno.ESPIPE, Errno.EISDIR)) {
                    throw other;
                }
                return null; // it became a FIFO or a directory meanwhile
            }
        }
        return null;
    }

    /// How much was read; -1 where a bound was reached. A file that is as long as it was needs no second look for its end.
    private long read(Fd file, long expected) {
        hash.reset();
        long at = 0;
        long hole = expected < SPARSE ? Long.MAX_VALUE : 0;
        while (true) {
            if (at == hole) {
                long data = file.data(at);
                data = data < 0 || data > expected ? Math.max(at, expected) : data;
                if (!zeros(data - at)) {
                    return -1;
                }
                at = data;
                hole = at < expected ? file.hole(at) : Long.MAX_VALUE;
                hole = hole < at ? Long.MAX_VALUE : hole; // it is shorter by now
                continue;
            }
            long want = Math.min(CHUNK, hole - at);
            long n = file.pread(buffer.asSlice(0, want), at);
            hash.update(bytes.clear().limit((int) n));
            at += n;
            left -= n;
            if (at > largest || left < 0 || late()) {
                return -1;
            }
            if (n == 0 || at == expected && n < CHUNK) {
                return at;
            }
        }
    }

    /// False where a bound is reached. What is refused takes nothing from those that come after it.
    private boolean zeros(long length) {
        if (length > holes || length > left) {
            return false;
        }
        holes -= length;
        left -= length;
        for (long done = 0; done < length; done += CHUNK) {
            if (late()) {
                return false;
            }
            hash.update(zeros.clear().limit((int) Math.min(CHUNK, length - done)));
        }
        return !late();
    }

    private boolean late() {
        return System.nanoTime() > deadline;
    }

    private String text(String target) {
        hash.reset();
        hash.update(Names.encode(target));
        return hex();
    }

    private String hex() {
        return "sha256:" + HexFormat.of().formatHex(hash.digest());
    }

    static String of(byte[] content) {
        return "sha256:" + HexFormat.of().formatHex(sha256().digest(content));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
