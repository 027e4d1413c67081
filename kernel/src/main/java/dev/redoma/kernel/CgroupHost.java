// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// How this host mounts its cgroups: controllers of version 1 with their mount points, and the version 2 tree if there is one.
/// On a hybrid host both exist, and the version 2 tree has no controllers that version 1 took. `v1Others`:
/// hierarchies of version 1 without a controller that we know (named ones, for instance).
public record CgroupHost(Map<String, Path> v1, Optional<Path> v2, List<Path> v1Others) {
    private static final List<String> CONTROLLERS = List.of("cpu", "cpuacct", "cpuset", "memory", "pids", "freezer", "blkio", "devices");

    public CgroupHost {
        v1 = Map.copyOf(v1);
        v1Others = List.copyOf(v1Others);
    }

    public static CgroupHost discover() {
        try {
            return parse(Files.readAllLines(Path.of("/proc/self/mountinfo")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static CgroupHost parse(List<String> mountinfo) {
        var v1 = new TreeMap<String, Path>();
        Optional<Path> v2 = Optional.empty();
        var others = new ArrayList<Path>();
        for (var line : mountinfo) {
            int dash = line.indexOf(" - ");
            var head = line.substring(0, dash).split(" ");
            var tail = line.substring(dash + 3).split(" ");
            if (tail[0].equals("cgroup2") && v2.isEmpty()) {
                v2 = Optional.of(Path.of(head[4]));
            } else if (tail[0].equals("cgroup")) {
                var known = Stream.of(tail[2].split(",")).filter(CONTROLLERS::contains).toList();
                known.forEach(c -> v1.putIfAbsent(c, Path.of(head[4])));
                if (known.isEmpty()) {
                    others.add(Path.of(head[4]));
                }
            }
        }
        return new CgroupHost(v1, v2, others);
    }

    /// `v2`, `hybrid` or `v1`.
    public String mode() {
        if (v1.isEmpty()) {
            return "v2";
        }
        return v2.isPresent() ? "hybrid" : "v1";
    }

    public boolean pureV2() {
        return v1.isEmpty() && v2.isPresent();
    }
}
