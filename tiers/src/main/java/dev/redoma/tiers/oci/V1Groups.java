// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.InstanceLimits;
import dev.redoma.kernel.CgroupDir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.ProcessFacts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Limits by version 1 controllers; freezing, killing and the CPU clock by the version 2 tree where there is one (a hybrid host).
/// `others`: hierarchies without a limit of ours, in which runc leaves a group all the same.
record V1Groups(Map<String, CgroupDir> v1, Optional<CgroupDir> v2, List<CgroupDir> others, String ownPath) implements BoxGroups {
    private static final String TCP = "memory.kmem.tcp.limit_in_bytes";
    private static final String NO_LIMIT = "9223372036854771712";
    private static final long LEAST_TCP = 16L << 20;
    private static final Duration LEAVING = Duration.ofSeconds(5);

    private CgroupDir dir(String controller) {
        var dir = v1.get(controller);
        if (dir == null) {
            throw new IllegalStateException("no cgroup controller " + controller);
        }
        return dir;
    }

    @Override
    public List<CgroupDir> dirs() {
        var out = new ArrayList<>(v1.values());
        v2.ifPresent(out::addFirst);
        return out;
    }

    @Override
    public void make(InstanceLimits limits, List<Integer> cpus) {
        dirs().forEach(CgroupDir::make);
        var cpuset = dir("cpuset");
        cpuset.set("cpuset.mems", new CgroupDir(cpuset.path().resolveSibling("")).get("cpuset.mems"));
        cpuset.set("cpuset.cpus", CpuSpread.text(cpus));
        memory(limits.memoryBytes());
        sockets(limits.memoryBytes());
    }

    /// What TCP holds in buffers is counted apart, and not at all without a limit.
    private void sockets(long bytes) {
        var memory = dir("memory");
        if (memory.has(TCP)) {
            memory.set(TCP, Long.toString(Math.max(LEAST_TCP, bytes / 4)));
        }
    }

    /// The sum with swap may never be below memory alone, so growing sets the sum first.
    private void memory(long bytes) {
        try {
            setMemory(bytes);
        } catch (KernelException e) {
            throw e.is(Errno.EBUSY) ? BoxGroups.inUse(e) : e;
        }
    }

    private void setMemory(long bytes) {
        var memory = dir("memory");
        boolean sums = memory.has("memory.memsw.limit_in_bytes");
        boolean grows = memory.number("memory.limit_in_bytes").orElse(Long.MAX_VALUE) < bytes;
        if (sums && grows) {
            memory.set("memory.memsw.limit_in_bytes", Long.toString(bytes));
        }
        memory.set("memory.limit_in_bytes", Long.toString(bytes));
        if (sums && !grows) {
            memory.set("memory.memsw.limit_in_bytes", Long.toString(bytes));
        }
    }

    @Override
    public void started(InstanceLimits limits, int init) {
        dirs().stream().filter(d -> !d.processes().contains(init)).forEach(d -> d.add(init));
        dir("pids").set("pids.max", Long.toString(limits.pids()));
        quota(limits.cpu());
    }

    private void quota(double cpu) {
        dir("cpu").set("cpu.cfs_period_us", Long.toString(CpuSpread.PERIOD_MICROS));
        dir("cpu").set("cpu.cfs_quota_us", Long.toString(CpuSpread.quota(cpu)));
    }

    @Override
    public void change(InstanceLimits limits, List<Integer> cpus) {
        memory(limits.memoryBytes());
        sockets(limits.memoryBytes());
        dir("pids").set("pids.max", Long.toString(limits.pids()));
        dir("cpuset").set("cpuset.cpus", CpuSpread.text(cpus));
        quota(limits.cpu());
    }

    /// Version 1 does not see buffered writes.
    @Override
    public void bandwidth(long bytesPerSecond, List<String> disks) {
        throw BoxGroups.noBandwidth();
    }

    @Override
    public boolean exists() {
        return dirs().stream().anyMatch(CgroupDir::exists);
    }

    @Override
    public boolean holds(int pid) {
        var path = ProcessFacts.cgroup(pid, v2.isPresent() ? "" : "memory");
        return path != null && (path.equals(ownPath) || path.startsWith(ownPath + "/"));
    }

    @Override
    public Freezer freezer() {
        return v2.<Freezer>map(V2Freezer::new).orElseGet(() -> new V1Freezer(dir("freezer")));
    }

    @Override
    public List<Integer> cpus() {
        return dir("cpuset").find("cpuset.cpus").map(CpuSpread::parse).orElse(List.of());
    }

    @Override
    public long memoryBytes() {
        return dir("memory").number("memory.usage_in_bytes").orElse(0);
    }

    @Override
    public long memoryCacheBytes() {
        return dir("memory").value("memory.stat", "total_cache").orElse(0);
    }

    @Override
    public long memoryPeakBytes() {
        return dir("memory").number("memory.max_usage_in_bytes").orElse(0);
    }

    @Override
    public long memoryLimitBytes() {
        return dir("memory").number("memory.limit_in_bytes").orElse(0);
    }

    @Override
    public long pids() {
        return dir("pids").number("pids.current").orElse(0);
    }

    @Override
    public long pidsLimit() {
        return dir("pids").number("pids.max").orElse(0);
    }

    @Override
    public long cpuMicros() {
        return v2.map(d -> d.value("cpu.stat", "usage_usec").orElse(0))
                .orElseGet(() -> dir("cpuacct").number("cpuacct.usage").orElse(0) / 1000);
    }

    /// `oom_kill` counts in the victim's own group only.
    @Override
    public long oomKills() {
        var memory = dir("memory");
        return oomKills(memory) + memory.children().stream().mapToLong(V1Groups::oomKills).sum();
    }

    @Override
    public long initOomKills() {
        return oomKills(dir("memory"));
    }

    static long oomKills(CgroupDir memory) {
        return memory.value("memory.oom_control", "oom_kill").orElse(0);
    }

    @Override
    public void prepareExec(String exec) {
        execOf(exec).dirs().forEach(CgroupDir::make);
    }

    @Override
    public ExecGroups makeExec(String exec, int pid) {
        var groups = execOf(exec);
        groups.dirs().forEach(CgroupDir::make);
        if (groups.memory().has(TCP)) {
            // Sockets are counted only where a limit was set, above as well as here; that above holds.
            groups.memory().set(TCP, NO_LIMIT);
        }
        groups.dirs().forEach(d -> d.add(pid));
        return groups;
    }

    @Override
    public Optional<ExecGroups> exec(String exec) {
        return Optional.<ExecGroups>of(execOf(exec)).filter(g -> ((V1Exec) g).memory().exists());
    }

    private V1Exec execOf(String exec) {
        var clock = v2.map(d -> d.child(exec)).orElseGet(() -> dir("cpuacct").child(exec));
        var freezer = v2.isPresent() ? Optional.<CgroupDir>empty() : Optional.of(dir("freezer").child(exec));
        return new V1Exec(dir("memory").child(exec), clock, freezer);
    }

    @Override
    public boolean remove() {
        boolean gone = true;
        for (var dir : dirs()) {
            gone &= dir.remove(LEAVING);
        }
        for (var dir : others) {
            gone &= !dir.exists() || dir.remove(LEAVING);
        }
        return gone;
    }

    /// `clock` is in the version 2 tree, or in cpuacct where there is none; then `freezer` is given.
    record V1Exec(CgroupDir memory, CgroupDir clock, Optional<CgroupDir> stop) implements ExecGroups {

        List<CgroupDir> dirs() {
            var out = new ArrayList<>(List.of(memory, clock));
            stop.ifPresent(out::add);
            return out;
        }

        @Override
        public Freezer freezer() {
            return stop.<Freezer>map(V1Freezer::new).orElseGet(() -> new V2Freezer(clock));
        }

        @Override
        public long oomKills() {
            return V1Groups.oomKills(memory);
        }

        @Override
        public long cpuMicros() {
            return stop.isPresent() ? clock.number("cpuacct.usage").orElse(0) / 1000 : clock.value("cpu.stat", "usage_usec").orElse(0);
        }

        @Override
        public long memoryPeakBytes() {
            return memory.number("memory.max_usage_in_bytes").orElse(0);
        }

        @Override
        public boolean countsLost() {
            return true;
        }

        @Override
        public boolean tryRemove() {
            for (var dir : dirs().reversed()) {
                if (!dir.tryRemove() && (freezer().populated() || !dir.remove(LEAVING))) {
                    return false;
                }
            }
            return true;
        }
    }
}
