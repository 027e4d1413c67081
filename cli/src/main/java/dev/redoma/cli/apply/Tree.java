// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A directory whose entries are reached name by name and through no link: one that is somewhere in a path makes it refused. Paths are as change sets tell them. Not thread-safe.
final class Tree implements AutoCloseable {
    private static final int CHUNK = 1 << 18;

    private final Dir root;

    Tree(Dir root) {
        this.root = root;
    }

    Dir root() {
        return root;
    }

    static List<String> parts(String path) {
        var parts = Arrays.stream(Names.parse(path).split("/")).toList();
        if (path.isEmpty() || path.startsWith("/") || parts.stream().anyMatch(p -> p.isEmpty() || p.equals(".") || p.equals("..") || p.indexOf('\0') >= 0)) {
            throw new NotApplied("the change set names '" + path + "', which is no path below a directory");
        }
        return parts;
    }

    /// With the directory that the entry lies in, which must be there.
    <T> T in(String path, Function<Place, T> work) {
        var parts = parts(path);
        var at = root;
        try {
            for (var part : parts.subList(0, parts.size() - 1)) {
                var next = at.dirAt(part);
                close(at);
                at = next;
            }
            return work.apply(new Place(at, parts.getLast()));
        } finally {
            close(at);
        }
    }

    private void close(Dir dir) {
        if (dir != root) {
            dir.close();
        }
    }

    /// A name in a directory.
    record Place(Dir dir, String name) {}

    /// Empty where it, or the directory that it lies in, is not there.
    Optional<Stat> find(String path) {
        try {
            return in(path, p -> p.dir().find(p.name()));
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT)) {
                return Optional.empty();
            }
            if (e.is(Errno.ENOTDIR, Errno.ELOOP)) {
                throw new NotApplied("the way to '" + path + "' leads through a link or what is no directory");
            }
            throw e;
        }
    }

    /// As change sets tell it; null for what has none.
    @Nullable String digest(String path, Stat stat) {
        return in(path, p -> switch (stat.type()) {
            case FILE -> {
                try (var file = p.dir().openAt(p.name(), Open.RDONLY | Open.NONBLOCK, 0)) {
                    yield file.stat().type() == Stat.Type.FILE ? digest(file) : null;
                }
            }
            case SYMLINK -> "sha256:" + HexFormat.of().formatHex(sha256().digest(Names.encode(p.dir().readlink(p.name()))));
            default -> null;
        });
    }

    private static String digest(Fd file) {
        var hash = sha256();
        try (var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(CHUNK, 4096);
            long at = 0;
            for (long n = file.pread(buffer, at); n > 0; n = file.pread(buffer, at)) {
                hash.update(buffer.asSlice(0, n).asByteBuffer());
                at += n;
            }
        }
        return "sha256:" + HexFormat.of().formatHex(hash.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        root.close();
    }
}
