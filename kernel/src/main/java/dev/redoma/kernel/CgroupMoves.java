// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The mount option `favordynmods` (Linux 6.0): without it the first process that changes its cgroup after a pause waits for an RCU
/// grace period (here 4 to 20 ms), at every start of an instance and of a command. It makes fork and exit a trifle dearer.
public final class CgroupMoves {
    private static final String OPTION = "favordynmods";
    private static final long REMOUNT = 32;
    private static final Map<String, Long> FLAGS =
            Map.of("ro", 1L, "nosuid", 2L, "nodev", 4L, "noexec", 8L, "noatime", 1024L, "nodiratime", 2048L, "relatime", 1L << 21);

    private CgroupMoves() {}

    /// Puts it in force for the version 2 tree mounted there, all other options as they are; false if this kernel will not.
    public static boolean favour(Path tree) {
        if (options(tree).contains(OPTION)) {
            return true;
        }
        var data = new java.util.ArrayList<>(options(tree));
        data.removeAll(List.of("rw", "ro"));
        data.add(OPTION);
        try {
            Mounts.mount("none", tree, "none", REMOUNT | flags(tree), String.join(",", data));
        } catch (KernelException refused) {
            return false;
        }
        return options(tree).contains(OPTION);
    }

    private static long flags(Path tree) {
        return List.of(line(tree)[5].split(",")).stream().mapToLong(o -> FLAGS.getOrDefault(o, 0L)).reduce(0, (a, b) -> a | b);
    }

    private static List<String> options(Path tree) {
        var fields = line(tree);
        return List.of(fields[fields.length - 1].split(","));
    }

    private static String[] line(Path tree) {
        try {
            return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                    .map(l -> l.split(" "))
                    .filter(f -> f[4].equals(tree.toString()))
                    .reduce((first, last) -> last)
                    .orElseThrow(() -> new IllegalStateException("no mount at " + tree));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
