// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Extended attributes of an entry of a directory (of the link itself if it is one).
public final class Xattrs {
    private static final int VALUE_LIMIT = 65_536;
    private static final int LIST_LIMIT = 65_536;

    private Xattrs() {}

    public static List<String> list(Dir dir, String name) {
        try (var arena = Arena.ofConfined()) {
            var path = path(dir, name);
            var address = Sys.text(arena, path);
            long size = Sys.retried(Nr.LLISTXATTR, address, 0, 0);
            if (size == 0 || size == -Errno.EOPNOTSUPP) {
                return List.of();
            }
            var out = arena.allocate(LIST_LIMIT, 1);
            long n = Sys.check(Sys.retried(Nr.LLISTXATTR, address, out.address(), LIST_LIMIT), "llistxattr", path);
            return split(out.asSlice(0, n).toArray(JAVA_BYTE));
        }
    }

    public static Optional<byte[]> get(Dir dir, String name, String attribute) {
        try (var arena = Arena.ofConfined()) {
            var path = path(dir, name);
            var address = Sys.text(arena, path);
            var key = Sys.text(arena, attribute);
            long size = Sys.retried(Nr.LGETXATTR, address, key, 0, 0, 0, 0);
            if (size == -Errno.ENODATA || size == -Errno.EOPNOTSUPP) {
                return Optional.empty();
            }
            Sys.check(size, "lgetxattr", attribute + " of " + path);
            var out = arena.allocate(VALUE_LIMIT, 1);
            long n = Sys.retried(Nr.LGETXATTR, address, key, out.address(), VALUE_LIMIT, 0, 0);
            if (n == -Errno.ENODATA) {
                return Optional.empty(); // taken away, or another file in its place, between the two
            }
            Sys.check(n, "lgetxattr", attribute + " of " + path);
            return Optional.of(out.asSlice(0, n).toArray(JAVA_BYTE));
        }
    }

    public static void set(Dir dir, String name, String attribute, byte[] value) {
        try (var arena = Arena.ofConfined()) {
            var path = path(dir, name);
            var data = Sys.bytes(arena, value, 0);
            long r = Sys.retried(
                    Nr.LSETXATTR, Sys.text(arena, path), Sys.text(arena, attribute), data.address(), value.length, 0, 0);
            Sys.check(r, "lsetxattr", attribute + " of " + path);
        }
    }

    public static void remove(Dir dir, String name, String attribute) {
        try (var arena = Arena.ofConfined()) {
            var path = path(dir, name);
            long r = Sys.retried(Nr.LREMOVEXATTR, Sys.text(arena, path), Sys.text(arena, attribute), 0);
            Sys.check(r, "lremovexattr", attribute + " of " + path);
        }
    }

    private static String path(Dir dir, String name) {
        return "/proc/self/fd/" + dir.fd().number() + "/" + Dir.single(name);
    }

    private static List<String> split(byte[] names) {
        var out = new ArrayList<String>();
        int start = 0;
        for (int i = 0; i < names.length; i++) {
            if (names[i] == 0) {
                out.add(Names.decode(java.util.Arrays.copyOfRange(names, start, i)));
                start = i + 1;
            }
        }
        return out;
    }
}
