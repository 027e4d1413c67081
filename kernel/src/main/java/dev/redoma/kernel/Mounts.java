// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Mounting and unmounting in this process's mount namespace.
public final class Mounts {
    public static final long NOSUID = 2;
    public static final long NODEV = 4;
    public static final long NOEXEC = 8;
    public static final long NOATIME = 1024;
    private static final long PRIVATE = 1 << 18;
    /// Take it away now, free it when its last user is gone.
    public static final int DETACH = 2;

    private Mounts() {}

    /// One line of `mountinfo`.
    public record Mount(String device, String root, String target, String type, String source) {}

    public static void mount(String source, Path target, String type, long flags, String data) {
        call(source, target, type, flags, data);
    }

    /// Later mounts below it do not travel to other namespaces, nor from there.
    public static void makePrivate(Path target) {
        call(null, target, null, PRIVATE, null);
    }

    private static void call(@Nullable String source, Path target, @Nullable String type, long flags, @Nullable String data) {
        try (var arena = Arena.ofConfined()) {
            long r = Sys.retried(
                    Nr.MOUNT, text(arena, source), Sys.text(arena, target.toString()), text(arena, type), flags, text(arena, data), 0);
            Sys.check(r, "mount", source + " on " + target);
        }
    }

    private static long text(Arena arena, @Nullable String text) {
        return text == null ? 0 : Sys.text(arena, text);
    }

    public static void unmount(Path target, int flags) {
        try (var arena = Arena.ofConfined()) {
            Sys.check(Sys.retried(Nr.UMOUNT2, Sys.text(arena, target.toString()), flags, 0), "umount2", target.toString());
        }
    }

    /// What is mounted (last) at exactly this path.
    public static Optional<Mount> at(Path target) {
        var wanted = target.toString();
        return list().stream().filter(m -> m.target().equals(wanted)).reduce((first, last) -> last);
    }

    public static List<Mount> list() {
        try {
            return Names.decode(Files.readAllBytes(Path.of("/proc/self/mountinfo"))).lines().map(Mounts::parse).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Mount parse(String line) {
        var fields = line.split(" ");
        int dash = 6;
        while (!fields[dash].equals("-")) {
            dash++;
        }
        return new Mount(fields[2], unescape(fields[3]), unescape(fields[4]), fields[dash + 1], unescape(fields[dash + 2]));
    }

    private static String unescape(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\");
    }
}
