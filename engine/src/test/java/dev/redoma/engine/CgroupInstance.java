// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ExecId;
import dev.redoma.model.wire.Usage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The guest as a plain process of this machine in cgroups of its own: no container, but real processes, limits, kills and freezing.
final class CgroupInstance implements Instance {
    /// One tree for all, in which init has a leaf of its own; else the memory's is another.
    private static final boolean PURE = Files.exists(Path.of("/sys/fs/cgroup/cgroup.procs"));
    private static final Path UNIFIED = PURE ? Path.of("/sys/fs/cgroup") : Path.of("/sys/fs/cgroup/unified");
    private static final Path MEMORY = PURE ? UNIFIED : Path.of("/sys/fs/cgroup/memory");

    private final String name;
    private final Path unified;
    private final Path memory;
    private final Process init;
    private final List<Runnable> onExit = new ArrayList<>();

    private CgroupInstance(String name, Path unified, Path memory, Process init) {
        this.name = name;
        this.unified = unified;
        this.memory = memory;
        this.init = init;
    }

    static CgroupInstance start(String name, long memoryLimit, String... program) {
        var unified = mkdir(UNIFIED.resolve("redoma-test-exec-" + name));
        var memory = mkdir(MEMORY.resolve("redoma-test-exec-" + name));
        if (PURE) {
            write(UNIFIED.resolve("cgroup.subtree_control"), "+memory");
            write(memory.resolve("memory.max"), Long.toString(memoryLimit));
            write(memory.resolve("memory.swap.max"), "0");
            write(memory.resolve("cgroup.subtree_control"), "+memory");
        } else {
            write(memory.resolve("memory.use_hierarchy"), "1");
            write(memory.resolve("memory.limit_in_bytes"), Long.toString(memoryLimit));
        }
        var words = new ArrayList<>(List.of("sh", "-c", "echo $$ > \"$0/cgroup.procs\"; echo $$ > \"$1/cgroup.procs\"; shift; exec \"$@\"",
                leaf(unified).toString(), leaf(memory).toString()));
        words.addAll(List.of(program));
        try {
            var builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
            builder.environment().put("REDOMA_TEST_CANARY", "secret-of-the-host");
            return new CgroupInstance(name, unified, memory, builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path leaf(Path group) {
        return PURE ? mkdir(group.resolve("init")) : group;
    }

    @Override
    public InstanceRef ref() {
        return new InstanceRef(name, (int) init.pid(), 0);
    }

    @Override
    public boolean alive() {
        return init.isAlive();
    }

    @Override
    public void onExit(Runnable action) {
        init.onExit().thenRun(action);
    }

    @Override
    public void freeze() {
        write(unified.resolve("cgroup.freeze"), "1");
        until(() -> read(unified.resolve("cgroup.events")).contains("frozen 1"));
    }

    @Override
    public void thaw() {
        write(unified.resolve("cgroup.freeze"), "0");
    }

    @Override
    public boolean frozen() {
        return Files.exists(unified) && read(unified.resolve("cgroup.freeze")).startsWith("1");
    }

    /// Ends the init alone, as a crash of it would.
    void crash() {
        init.destroyForcibly();
    }

    @Override
    public void kill() {
        if (!Files.exists(unified)) {
            return;
        }
        write(unified.resolve("cgroup.kill"), "1");
        until(() -> read(unified.resolve("cgroup.events")).contains("populated 0"));
        try {
            init.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        removeTree(unified);
        if (!PURE) {
            removeTree(memory);
        }
    }

    private static void removeTree(Path cgroup) {
        for (var child : children(cgroup)) {
            removeTree(child);
        }
        rmdir(cgroup);
    }

    private static List<Path> children(Path cgroup) {
        try (var all = Files.list(cgroup)) {
            return all.filter(Files::isDirectory).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Usage usage() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void limit(InstanceLimits limits) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean owns(int hostPid) {
        try {
            var inside = "0::/" + UNIFIED.relativize(unified);
            return Files.readAllLines(Path.of("/proc", Integer.toString(hostPid), "cgroup")).stream()
                    .anyMatch(l -> l.equals(inside) || l.startsWith(inside + "/"));
        } catch (IOException gone) {
            return false;
        }
    }

    @Override
    public ExecGroup adopt(ExecId exec, int hostPid) {
        if (!owns(hostPid)) {
            throw new IllegalStateException(hostPid + " is not of " + name);
        }
        var group = new Group(mkdir(unified.resolve(exec.value())), mkdir(memory.resolve(exec.value())));
        write(group.unified.resolve("cgroup.procs"), Integer.toString(hostPid));
        write(group.memory.resolve("cgroup.procs"), Integer.toString(hostPid));
        return group;
    }

    @Override
    public Optional<ExecGroup> group(ExecId exec) {
        var dir = unified.resolve(exec.value());
        return Files.exists(dir) ? Optional.of(new Group(dir, memory.resolve(exec.value()))) : Optional.empty();
    }

    private record Group(Path unified, Path memory) implements ExecGroup {

        @Override
        public void kill() {
            if (populated()) {
                try {
                    Files.writeString(unified.resolve("cgroup.kill"), "1");
                } catch (java.nio.file.NoSuchFileException gone) {
                    return; // its last process has ended meanwhile
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                until(() -> !populated());
            }
        }

        @Override
        public boolean populated() {
            try {
                return Files.readString(unified.resolve("cgroup.events")).contains("populated 1");
            } catch (IOException removed) {
                return false;
            }
        }

        @Override
        public long oomKills() {
            return number(read(memory.resolve(PURE ? "memory.events" : "memory.oom_control")), "oom_kill ");
        }

        @Override
        public long cpuMicros() {
            return number(read(unified.resolve("cpu.stat")), "usage_usec ");
        }

        @Override
        public long peakMemoryBytes() {
            return Long.parseLong(read(memory.resolve(PURE ? "memory.peak" : "memory.max_usage_in_bytes")).strip());
        }

        @Override
        public boolean remove() {
            return !populated() && rmdir(unified) & rmdir(memory);
        }

        private static long number(String text, String key) {
            return text.lines().filter(l -> l.startsWith(key)).mapToLong(l -> Long.parseLong(l.substring(key.length()).strip())).sum();
        }
    }

    private static Path mkdir(Path dir) {
        try {
            return Files.createDirectories(dir);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean rmdir(Path dir) {
        for (int i = 0; i < 100; i++) {
            try {
                return Files.deleteIfExists(dir) || true;
            } catch (IOException busy) {
                sleep();
            }
        }
        return false;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void until(java.util.function.BooleanSupplier condition) {
        for (int i = 0; i < 2000 && !condition.getAsBoolean(); i++) {
            sleep();
        }
        if (!condition.getAsBoolean()) {
            throw new IllegalStateException("the kernel did not confirm");
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
