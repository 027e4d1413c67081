// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.Bytes;
import dev.redoma.model.wire.Limits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Limits of a sandbox; what is not said is the server's default.
final class LimitFlags {
    @Option(names = "--cpu", paramLabel = "N", description = "Processors, such as 2 or 0.5.")
    @Nullable Double cpu;

    @Option(names = "--memory", paramLabel = "SIZE", description = "Memory, such as 2GiB.")
    @Nullable String memory;

    @Option(names = "--disk", paramLabel = "SIZE", description = "Disk, such as 8GiB.")
    @Nullable String disk;

    @Option(names = "--pids", paramLabel = "N", description = "Processes and threads.")
    @Nullable Long pids;

    @Option(names = "--open-files", paramLabel = "N", description = "Open files of a process.")
    @Nullable Long openFiles;

    @Option(names = "--shm", paramLabel = "SIZE", description = "Size of /dev/shm.")
    @Nullable String shm;

    @Option(names = "--io", paramLabel = "SIZE", description = "Disk bytes a second.")
    @Nullable String io;

    @Option(names = "--lifetime", paramLabel = "TIME", description = "The sandbox ends this long after its start.")
    @Nullable String lifetime;

    @Option(names = "--idle", paramLabel = "TIME", description = "The sandbox ends after this long without activity.")
    @Nullable String idle;

    Limits limits() {
        return new Limits(cpu, size("--memory", memory), size("--disk", disk), pids, openFiles, size("--shm", shm), size("--io", io),
                time("--lifetime", lifetime), time("--idle", idle));
    }

    private static @Nullable Long size(String option, @Nullable String text) {
        return text == null ? null : Bytes.parse(option, text).value();
    }

    private static @Nullable Long time(String option, @Nullable String text) {
        return text == null ? null : Durations.parse(option, text).toMillis();
    }
}
