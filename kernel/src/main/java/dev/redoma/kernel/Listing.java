// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Reads a directory by `getdents64`.
final class Listing {
    private static final int BUFFER = 32 * 1024;
    private static final int NAME = 19;

    private Listing() {}

    static List<String> of(Dir dir, int limit) {
        // A descriptor of its own, so that two listings of one Dir do not share a position.
        try (var fd = dir.openAt(".", Open.RDONLY | Open.DIRECTORY, 0); var arena = Arena.ofConfined()) {
            var buffer = arena.allocate(BUFFER, 8);
            var names = new ArrayList<String>();
            while (true) {
                long n = Sys.check(Sys.retried(Nr.GETDENTS64, fd.number(), buffer.address(), BUFFER), "getdents64", fd.what());
                if (n == 0) {
                    return names;
                }
                take(buffer.asSlice(0, n), names);
                if (names.size() > limit) {
                    throw new KernelException(Errno.E2BIG, "listing of", "more than " + limit + " entries in " + fd.what());
                }
            }
        }
    }

    private static void take(MemorySegment records, List<String> names) {
        for (long at = 0; at < records.byteSize(); ) {
            int length = Short.toUnsignedInt(records.get(JAVA_SHORT_UNALIGNED, at + 16));
            var name = name(records.asSlice(at + NAME, length - NAME));
            if (!name.equals(".") && !name.equals("..")) {
                names.add(name);
            }
            at += length;
        }
    }

    private static String name(MemorySegment field) {
        int end = 0;
        while (field.get(JAVA_BYTE, end) != 0) {
            end++;
        }
        return Names.decode(field.asSlice(0, end).toArray(JAVA_BYTE));
    }
}
