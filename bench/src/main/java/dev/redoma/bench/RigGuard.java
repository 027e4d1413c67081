// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.kernel.ProcessFacts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/// Says in a rig's directory whose it is, so that the next rig on this host takes away what one left whose process was killed: its server, its sandboxes, its mounts, its files. A directory
/// without that word, or whose process lives, is nobody's business.
final class RigGuard {
    private static final Path RIGS = Path.of("/var/tmp");
    private static final String HOLDER = "holder";

    private RigGuard() {}

    static void claim(Path dir, Path run) throws IOException {
        var self = ProcessFacts.of((int) ProcessHandle.current().pid()).orElseThrow();
        claim(dir, run, self.pid(), self.startTicks());
    }

    static void claim(Path dir, Path run, int pid, long startTicks) throws IOException {
        Files.writeString(dir.resolve(HOLDER), pid + " " + startTicks + " " + run + "\n");
    }

    /// One at a time on this host.
    static void sweep() {
        try (var channel = FileChannel.open(RIGS.resolve(".redoma-rigs.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE); var alone = channel.lock(); Stream<Path> all = Files.list(RIGS)) {
            for (var dir : all.filter(d -> d.getFileName().toString().startsWith("redoma-") && Files.isRegularFile(d.resolve(HOLDER))).toList()) {
                look(dir);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void look(Path dir) throws IOException {
        var holder = Files.readString(dir.resolve(HOLDER)).strip().split(" ", 3);
        boolean held = holder.length < 3
                || ProcessFacts.of(Integer.parseInt(holder[0])).filter(p -> p.alive() && p.startTicks() == Long.parseLong(holder[1])).isPresent();
        if (!held) {
            System.err.println("rig: a run that was killed left " + dir + "; its server, sandboxes, mounts and files are removed");
            clear(dir, Path.of(holder[2]));
        }
    }

    private static void clear(Path dir, Path run) throws IOException {
        var data = dir.resolve("data").toString();
        var servers = ProcessHandle.allProcesses().filter(p -> words(p.pid()).containsAll(List.of("dev.redoma.server.Main", "--data", data))).toList();
        servers.forEach(ProcessHandle::destroyForcibly);
        servers.forEach(server -> server.onExit().join());
        var place = RigPlace.of(dir, run);
        var mark = run.resolve("installation");
        if (Files.exists(mark)) {
            place.installation(Files.readString(mark).strip());
        }
        place.clear();
    }

    private static List<String> words(long pid) {
        try {
            return List.of(new String(Files.readAllBytes(Path.of("/proc/" + pid + "/cmdline")), StandardCharsets.ISO_8859_1).split("\0"));
        } catch (IOException gone) {
            return List.of();
        }
    }
}
