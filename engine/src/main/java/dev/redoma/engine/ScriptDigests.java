// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.FsStat;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// What the files hold that a command names, as the host reads them at that moment: below the root that the sandbox's own init has, by `openat2` within it, nothing but regular files, and bounded. Thread-safe.
final class ScriptDigests {
    static final long LARGEST = 64L << 20;
    private static final int PIECE = 1 << 20;
    private static final int PASSWD = 1 << 20;
    /// What these hold is made when it is read: proc, sysfs, both versions of cgroups.
    private static final Set<Long> MADE = Set.of(0x9fa0L, 0x62656572L, 0x27e0ebL, 0x63677270L);

    private ScriptDigests() {}

    /// A file by the word that names it, with `sha256:…` of it, or why there is none.
    record Digest(String word, Optional<String> sha256, String why) {}

    static List<Digest> of(Live live, ExecOrder order) {
        return of(live.instance().root(), order.cwd(), order.user(), ScriptWords.of(order.spec().argv()));
    }

    /// `root` empty: this host cannot see what the sandbox sees. `cwd` empty: the user's home.
    static List<Digest> of(Optional<Path> root, String cwd, String user, List<String> words) {
        if (words.isEmpty()) {
            return List.of();
        }
        if (root.isEmpty()) {
            return words.stream().map(word -> none(word, "this host does not see the files of this sandbox")).toList();
        }
        try (var dir = Dir.open(root.get())) {
            return words.stream().map(word -> read(dir, word, cwd, user)).toList();
        } catch (KernelException gone) {
            return words.stream().map(word -> none(word, "the files of the sandbox could not be seen (" + Errno.name(gone.errno()) + ")")).toList();
        }
    }

    private static Digest none(String word, String why) {
        return new Digest(word, Optional.empty(), why);
    }

    private static Digest read(Dir root, String word, String cwd, String user) {
        try {
            var path = word;
            if (!word.startsWith("/")) {
                var from = cwd.isEmpty() ? home(root, user) : Optional.of(cwd);
                if (from.isEmpty()) {
                    return none(word, "it is named from a home directory that is not known");
                }
                path = from.get() + "/" + word;
            }
            try (var seen = root.openInside(path, Open.PATH, 0)) {
                if (seen.stat().type() != Stat.Type.FILE) {
                    return none(word, "it is no regular file but a " + seen.stat().type().name().toLowerCase(Locale.ROOT));
                }
            }
            // Never waits for whoever holds the other end of a FIFO that took its place meanwhile.
            try (var fd = root.openInside(path, Open.RDONLY | Open.NONBLOCK, 0)) {
                return content(word, fd);
            }
        } catch (KernelException e) {
            return none(word, e.is(Errno.ENOENT, Errno.ENOTDIR) ? "it is not there" : "it could not be read (" + Errno.name(e.errno()) + ")");
        }
    }

    private static Digest content(String word, Fd fd) {
        var stat = fd.stat();
        if (stat.type() != Stat.Type.FILE || MADE.contains(FsStat.of(fd).type())) {
            return none(word, "it is no regular file");
        }
        if (stat.size() > LARGEST) {
            return none(word, "it is larger than " + (LARGEST >> 20) + " MiB");
        }
        try (var arena = Arena.ofConfined()) {
            var sha = MessageDigest.getInstance("SHA-256");
            var piece = arena.allocate(PIECE);
            long at = 0;
            for (long n = fd.pread(piece, at); n > 0; n = fd.pread(piece, at)) {
                sha.update(piece.asSlice(0, n).asByteBuffer());
                at += n;
                if (at > LARGEST) {
                    return none(word, "it is larger than " + (LARGEST >> 20) + " MiB");
                }
            }
            return new Digest(word, Optional.of("sha256:" + HexFormat.of().formatHex(sha.digest())), "");
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }

    /// As the sandbox's own list of users says.
    private static Optional<String> home(Dir root, String user) {
        try (var fd = root.openInside("/etc/passwd", Open.RDONLY | Open.NONBLOCK, 0)) {
            if (fd.stat().type() != Stat.Type.FILE || fd.stat().size() > PASSWD) {
                return Optional.empty();
            }
            return new String(fd.readAll(PASSWD), StandardCharsets.UTF_8).lines().map(l -> l.split(":", -1)).filter(l -> l.length > 5 && (l[0].equals(user) || l[2].equals(user))).map(l -> l[5]).filter(h -> h.startsWith("/")).findFirst();
        }
    }
}
