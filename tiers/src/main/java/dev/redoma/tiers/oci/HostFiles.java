// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The readings of a sandbox's machine as files to lie over the kernel's: they tell its limits, not the host's.
final class HostFiles {
    private static final List<String> HOST_CPUS = processors();

    private HostFiles() {}

    /// As many processors as it has CPUs, numbered from 0, each as the host describes it.
    static String cpuinfo(List<Integer> cpus) {
        var out = new StringBuilder();
        for (int i = 0; i < cpus.size(); i++) {
            var block = HOST_CPUS.get(Math.min(cpus.get(i), HOST_CPUS.size() - 1));
            out.append(block.replaceFirst("(?m)^(processor\\s*: )\\d+", "$1" + i)).append("\n\n");
        }
        return out.toString();
    }

    static String online(int cpus) {
        return cpus == 1 ? "0\n" : "0-" + (cpus - 1) + "\n";
    }

    static String meminfo(long memoryBytes) {
        long kib = memoryBytes / 1024;
        return """
                MemTotal:       %1$8d kB
                MemFree:        %1$8d kB
                MemAvailable:   %1$8d kB
                Buffers:               0 kB
                Cached:                0 kB
                SwapCached:            0 kB
                Active:                0 kB
                Inactive:              0 kB
                SwapTotal:             0 kB
                SwapFree:              0 kB
                Shmem:                 0 kB
                Slab:                  0 kB
                SReclaimable:          0 kB
                """.formatted(kib);
    }

    private static List<String> processors() {
        try {
            var blocks = Files.readString(Path.of("/proc/cpuinfo")).strip().split("\n\n");
            return new ArrayList<>(List.of(blocks));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
