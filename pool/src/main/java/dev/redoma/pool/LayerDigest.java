// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;

/// Names a tree by its content: SHA-256 over type, path, mode, owner, size, SHA-256 of the content, link target and attributes of
/// every entry, sorted by the bytes of the names. Times are not in it, but are set on the way. One thread.
final class LayerDigest implements AutoCloseable {
    private static final int CHUNK = 1 << 20;
    private static final int NAMES = 2_000_000;

    private final MessageDigest listing = sha256();
    private final MessageDigest content = sha256();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(CHUNK, 4096);
    private final int depthLimit;
    private final Map<Long, Instant> directoryTimes;
    private long bytes;

    /// `directoryTimes` by inode.
    LayerDigest(int depthLimit, Map<Long, Instant> directoryTimes) {
        this.depthLimit = depthLimit;
        this.directoryTimes = directoryTimes;
    }

    LayerId of(Dir root) {
        var stat = root.fd().stat();
        header('D', "", stat);
        directory(root, "", 1);
        setTime(root, ".", stat);
        return new LayerId("sha256:" + HexFormat.of().formatHex(listing.digest()));
    }

    /// Bytes of content seen.
    long bytes() {
        return bytes;
    }

    private void directory(Dir dir, String path, int depth) {
        if (depth > depthLimit) {
            throw Problem.of(Code.ARCHIVE_REFUSED, "the archive makes a tree deeper than " + depthLimit, "Make it flatter.").raise();
        }
        var names = dir.list(NAMES);
        names.sort(Comparator.comparing(Names::encode, Arrays::compareUnsigned));
        for (var name : names) {
            entry(dir, name, path + "/" + name, depth);
        }
    }

    private void entry(Dir dir, String name, String path, int depth) {
        var stat = dir.stat(name);
        switch (stat.type()) {
            case DIRECTORY -> {
                header('D', path, stat);
                attributes(dir, name);
                try (var inner = dir.dirAt(name)) {
                    directory(inner, path, depth + 1);
                }
                setTime(dir, name, stat);
            }
            case FILE -> {
                header('F', path, stat);
                number(stat.size());
                listing.update(hash(dir, name));
                attributes(dir, name);
            }
            case SYMLINK -> {
                header('L', path, stat);
                text(dir.readlink(name));
            }
            case FIFO -> header('P', path, stat);
            case CHAR -> {
                if (!Lowers.isWhiteout(dir, name, stat)) {
                    throw new IllegalStateException("a device in a layer");
                }
                header('W', path, stat);
            }
            default -> throw new IllegalStateException(stat.type() + " in a layer");
        }
    }

    private void setTime(Dir dir, String name, Stat stat) {
        var time = directoryTimes.get(stat.inode());
        if (time != null) {
            dir.touch(name, time);
        }
    }

    private void header(char type, String path, Stat stat) {
        listing.update((byte) type);
        text(path);
        number(stat.type() == Stat.Type.SYMLINK ? 0777 : stat.mode());
        number(stat.uid());
        number(stat.gid());
    }

    private void attributes(Dir dir, String name) {
        var names = Xattrs.list(dir, name).stream().sorted().toList();
        number(names.size());
        for (var attribute : names) {
            text(attribute);
            var value = Xattrs.get(dir, name, attribute).orElse(new byte[0]);
            number(value.length);
            listing.update(value);
        }
    }

    private byte[] hash(Dir dir, String name) {
        try (var file = dir.openAt(name, Open.RDONLY, 0)) {
            long n;
            while ((n = file.read(buffer)) > 0) {
                content.update(buffer.asSlice(0, n).asByteBuffer());
                bytes += n;
            }
            return content.digest();
        }
    }

    private void text(String text) {
        var data = Names.encode(text);
        number(data.length);
        listing.update(data);
    }

    private void number(long value) {
        listing.update(ByteBuffer.allocate(Long.BYTES).putLong(value).flip());
    }

    static MessageDigest sha256() {
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
