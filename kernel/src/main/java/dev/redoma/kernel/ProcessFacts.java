// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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

    /// Its cgroup in the hierarchy with these controllers (v2: empty); null if there is none, or no such process. Read in one go: it lies
    /// on the way of every command.
    public static @Nullable String cgroup(int pid, String controllers) {
        byte[] text;
        try (var fd = Fd.open(Path.of("/proc/" + pid + "/cgroup"), Open.RDONLY, 0)) {
            text = fd.readAll(64 * 1024);
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT, Errno.ESRCH)) {
                return null;
            }
            throw e;
        }
        var lines = new String(text, StandardCharsets.ISO_8859_1);
        for (int at = 0; at < lines.length(); ) {
            int end = lines.indexOf('\n', at) < 0 ? lines.length() : lines.indexOf('\n', at);
            int name = lines.indexOf(':', at) + 1;
            if (name > 0 && lines.startsWith(controllers + ":", name)) {
                return lines.substring(name + controllers.length() + 1, end);
            }
            at = end + 1;
        }
        return null;
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
