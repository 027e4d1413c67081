// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Readings of one process.
final class ProcFiles {
    private ProcFiles() {}

    static long rssBytes(long pid) {
        return status(pid, "VmRSS:") << 10;
    }

    static long threads(long pid) {
        return status(pid, "Threads:");
    }

    static long fds(long pid) {
        try (var all = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return all.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long status(long pid, String name) {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream().filter(l -> l.startsWith(name))
                    .mapToLong(l -> Long.parseLong(l.split("\\s+")[1])).findFirst().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
