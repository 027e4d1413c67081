// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Everything countable that a sandbox takes from the host: if it is not as before, something leaks.
record HostCount(Map<String, Long> counts) {

    static HostCount now(Rig rig) throws IOException {
        var counts = new LinkedHashMap<String, Long>();
        counts.put("mounts", (long) Files.readAllLines(Path.of("/proc/self/mountinfo")).size());
        counts.put("cgroups", rig.cgroups());
        counts.put("subvolumes", rig.subvolumes());
        counts.put("processes", rig.processes());
        counts.put("server fds", rig.serverFds());
        counts.put("server threads", rig.serverThreads());
        counts.put("run files", rig.runFiles());
        return new HostCount(counts);
    }

    /// Gives the host up to 30 s to settle: removal of a subvolume, say, is the kernel's own background work.
    static HostCount awaitLike(HostCount before, Rig rig) throws IOException, InterruptedException {
        var now = now(rig);
        for (int i = 0; i < 30 && now.more(before) > 0; i++) {
            TimeUnit.SECONDS.sleep(1);
            now = now(rig);
        }
        return now;
    }

    /// How many things there are more than before. Descriptors and threads of the server may differ by a few that are pooled.
    long more(HostCount before) {
        return counts.entrySet().stream().mapToLong(e -> Math.max(0, e.getValue() - before.counts.getOrDefault(e.getKey(), 0L) - slack(e.getKey()))).sum();
    }

    String difference(HostCount before) {
        var out = new StringBuilder();
        counts.forEach((name, n) -> out.append(out.isEmpty() ? "" : ", ").append(name).append(' ').append(before.counts.get(name)).append(" to ").append(n));
        return out.toString();
    }

    private static long slack(String name) {
        return name.startsWith("server ") ? 10 : 0;
    }

    /// Memory of the host in use and not reclaimable at will, in bytes.
    static long usedMemory() throws IOException {
        long total = 0;
        long available = 0;
        for (var line : Files.readAllLines(Path.of("/proc/meminfo"))) {
            var words = line.split("\\s+");
            if (words[0].equals("MemTotal:")) {
                total = Long.parseLong(words[1]);
            } else if (words[0].equals("MemAvailable:")) {
                available = Long.parseLong(words[1]);
            }
        }
        return (total - available) << 10;
    }
}
