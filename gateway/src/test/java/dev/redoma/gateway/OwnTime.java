// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// A time as a promise means it: without what the threads of this process, runnable, waited for a CPU that others had (the kernel's own count). A
/// timer, a poll or a buffer that holds something back is not in what is taken off. Compilers are not waited for and do not count.
public final class OwnTime {
    private static final Path TASKS = Path.of("/proc/self/task");

    private final long begun = System.nanoTime();
    private final Map<Path, Long> before = waits();

    public Duration since() {
        long elapsed = System.nanoTime() - begun;
        long waited = 0;
        for (var now : waits().entrySet()) {
            waited += now.getValue() - before.getOrDefault(now.getKey(), 0L);
        }
        return Duration.ofNanos(Math.max(0, elapsed - waited));
    }

    private static Map<Path, Long> waits() {
        var waits = new HashMap<Path, Long>();
        try (var tasks = Files.newDirectoryStream(TASKS)) {
            for (var task : tasks) {
                try {
                    if (!Files.readString(task.resolve("comm")).contains("CompilerThre")) {
                        waits.put(task, Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[1]));
                    }
                } catch (IOException ended) {
                    continue; // it is gone, or ended while it was read (ESRCH)
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return waits;
    }
}
