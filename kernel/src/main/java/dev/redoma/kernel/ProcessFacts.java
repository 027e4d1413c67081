// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// What `/proc` says about one process: state letter, parent, and start time in clock ticks since boot (fields 3, 4 and 22 of `stat`).
public record ProcessFacts(int pid, char state, int parent, long startTicks) {

    /// Empty if there is no such process.
    public static Optional<ProcessFacts> of(int pid) {
        return read(Path.of("/proc", Integer.toString(pid), "stat")).map(text -> parse(pid, text));
    }

    /// A zombie has ended, though its pid is still taken.
    public boolean alive() {
        return state != 'Z' && state != 'X';
    }

    /// The process's cgroup in each hierarchy, by the names of its controllers as listed (`memory`, `cpu,cpuacct`; v2: empty).
    public static Map<String, String> cgroups(int pid) {
        var out = new HashMap<String, String>();
        read(Path.of("/proc", Integer.toString(pid), "cgroup"))
                .ifPresent(text -> text.lines().map(l -> l.split(":", 3)).filter(f -> f.length == 3).forEach(f -> out.put(f[1], f[2])));
        return out;
    }

    /// The command name (field 2) may hold spaces and parentheses: everything after its last `)` counts.
    static ProcessFacts parse(int pid, String stat) {
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return new ProcessFacts(pid, fields[0].charAt(0), Integer.parseInt(fields[1]), Long.parseLong(fields[19]));
    }

    private static Optional<String> read(Path path) {
        try {
            return Optional.of(new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1));
        } catch (java.nio.file.NoSuchFileException gone) {
            return Optional.empty();
        } catch (IOException e) {
            // ESRCH: it ended between open and read.
            if (String.valueOf(e.getMessage()).contains("No such process")) {
                return Optional.empty();
            }
            throw new java.io.UncheckedIOException(e);
        }
    }
}
