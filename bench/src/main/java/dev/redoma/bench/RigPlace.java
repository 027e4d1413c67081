// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where a rig lives on the host, and what of it can be found there by looking.
final class RigPlace {
    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

    private final Path home;
    private final Path dir;
    private final Path run;
    private @Nullable String installation;

    private RigPlace(Path home, Path dir, Path run) {
        this.home = home;
        this.dir = dir;
        this.run = run;
    }

    /// `redoma.root` (tests) or `redoma.home` names the checkout or the installation.
    static Path checkout() {
        return Path.of(System.getProperty("redoma.root", System.getProperty("redoma.home", "."))).toAbsolutePath().normalize();
    }

    static RigPlace make(String name) {
        var home = checkout();
        try {
            var dir = Files.createTempDirectory(Path.of("/var/tmp"), "redoma-" + name + "-");
            var run = Files.createTempDirectory(Path.of("/run"), "rd-");
            RigGuard.claim(dir, run);
            return new RigPlace(home, dir, run);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// One that another process made.
    static RigPlace of(Path dir, Path run) {
        return new RigPlace(checkout(), dir, run);
    }

    Path dir() {
        return dir;
    }

    Path data() {
        return dir.resolve("data");
    }

    Path run() {
        return run;
    }

    Path pool() {
        return data().resolve("pool");
    }

    Path log() {
        return dir.resolve("server.log");
    }

    Path profile() {
        return dir.resolve("profile.json");
    }

    Path config() {
        return dir.resolve("redoma.yaml");
    }

    Path running() {
        return data().resolve("server.json");
    }

    Path home() {
        return home;
    }

    /// The guest, the launcher and the floor programs.
    Path binaries() {
        var built = home.resolve("guest/target/dist");
        return Files.exists(built) ? built : home.resolve("guest");
    }

    void installation(String id) {
        installation = id;
    }

    List<String> serverCommand() {
        var command = jvm();
        command.addAll(List.of("dev.redoma.server.Main", "--data", data().toString(), "--run", run.toString(), "--listen", "127.0.0.1:0",
                "--profile", profile().toString()));
        if (Files.exists(config())) {
            command.addAll(List.of("--config", config().toString()));
        }
        return command;
    }

    List<String> cliCommand() {
        var launcher = home.resolve("redoma");
        if (Files.isExecutable(launcher)) {
            return List.of(launcher.toString());
        }
        var command = java("-XX:TieredStopAtLevel=1");
        command.add("dev.redoma.cli.Main");
        return command;
    }

    /// A JVM as `./redoma up` gives it to the server, ahead-of-time cache and all, where `./redoma` started us.
    List<String> jvm() {
        var flags = System.getProperty("redoma.server.flags");
        if (flags == null || flags.isBlank()) {
            return java("@" + home.resolve("server/jvm.options"));
        }
        var command = new ArrayList<String>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(flags.strip().split("\\s+")));
        command.addAll(List.of("-Dredoma.home=" + home, "-cp", System.getProperty("java.class.path")));
        return command;
    }

    private List<String> java(String... flags) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", "-XX:+UseSerialGC",
                "-Dredoma.home=" + home));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return command;
    }

    /// Cgroup directories of this installation.
    List<Path> cgroups() {
        var name = installation;
        if (name == null) {
            return List.of();
        }
        try (var all = Files.walk(CGROUPS, 4)) {
            return all.filter(p -> p.getFileName().toString().contains(name.substring(0, 8))).flatMap(RigPlace::below).toList();
        } catch (UncheckedIOException | IOException changing) {
            return cgroups();
        }
    }

    private static Stream<Path> below(Path root) {
        try (var all = Files.walk(root)) {
            return all.filter(p -> Files.isDirectory(p) && !p.equals(root)).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// As an uninstallation would: the groups of instances, and those that held them.
    void removeCgroups() {
        if (installation == null) {
            return;
        }
        var name = "redoma-" + installation;
        try (var roots = Files.walk(CGROUPS, 2)) {
            for (var root : roots.filter(p -> p.getFileName().toString().equals(name)).toList()) {
                for (var group : Stream.concat(below(root), Stream.of(root)).sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(group);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Host pids in any of them.
    List<Long> processes() {
        return cgroups().stream().flatMap(c -> pids(c).stream()).distinct().toList();
    }

    void endProcesses() {
        for (int i = 0; i < 100; i++) {
            var pids = processes();
            if (pids.isEmpty()) {
                return;
            }
            pids.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
            cgroups().forEach(RigPlace::kill);
            Rig.pause(20);
        }
        throw new IllegalStateException("processes do not end: " + processes());
    }

    private static void kill(Path cgroup) {
        try {
            if (Files.exists(cgroup.resolve("cgroup.kill"))) {
                Files.writeString(cgroup.resolve("cgroup.kill"), "1");
            }
        } catch (IOException gone) {
            return;
        }
    }

    List<String> mounts() {
        try {
            return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream().map(l -> l.split(" ")[4])
                    .filter(m -> m.startsWith(dir + "/") || m.startsWith(run + "/")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void unmount() {
        for (var mount : mounts().reversed()) {
            Commands.quiet("umount", mount);
        }
    }

    void clearRun() {
        try (var all = Files.walk(run)) {
            for (var path : all.sorted(java.util.Comparator.reverseOrder()).filter(p -> !p.equals(run)).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// PID 1 of a sandbox, found by its cgroup: the oldest process in it.
    ProcessHandle initOf(String sandbox) {
        return cgroups().stream().filter(c -> c.toString().contains(sandbox)).flatMap(c -> pids(c).stream()).distinct()
                .flatMap(pid -> ProcessHandle.of(pid).stream())
                .min(java.util.Comparator.comparing(p -> p.info().startInstant().orElseThrow())).orElseThrow();
    }

    private static List<Long> pids(Path cgroup) {
        try {
            return Files.readAllLines(cgroup.resolve("cgroup.procs")).stream().map(Long::valueOf).toList();
        } catch (IOException gone) {
            return List.of();
        }
    }

    /// `config.json` of a sandbox's OCI bundle.
    Path bundleOf(String sandbox) throws IOException {
        try (var all = Files.walk(run)) {
            return all.filter(p -> p.endsWith("config.json") && p.toString().contains(sandbox)).findFirst().orElseThrow();
        }
    }

    /// The subvolume of a sandbox.
    Path find(String sandbox) throws IOException {
        try (var all = Files.walk(pool(), 3)) {
            return all.filter(p -> p.endsWith(Path.of("disks", sandbox))).findFirst().orElseThrow();
        }
    }

    List<String> leftovers() {
        var left = new ArrayList<String>();
        processes().forEach(p -> left.add("process " + p));
        cgroups().forEach(c -> left.add("cgroup " + c));
        try (var disks = Files.exists(pool().resolve("disks")) ? Files.list(pool().resolve("disks")) : Stream.<Path>empty()) {
            disks.forEach(d -> left.add("disk " + d));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return left;
    }

    /// Everything, whatever state it is in. No server may run there.
    void clear() {
        endProcesses();
        removeCgroups();
        unmount();
        remove();
    }

    void remove() {
        try {
            if (installation != null) {
                Files.deleteIfExists(Path.of("/run/redoma-installations", installation + ".json"));
            }
            TinyTemplate.deleteTree(dir);
            TinyTemplate.deleteTree(run);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
