// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.InstanceLimits;
import dev.redoma.kernel.CgroupDir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.ProcessFacts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// All in one version 2 tree. A group with limited children may hold no process itself, so init moves into a leaf of its own once its
/// cgroup namespace is rooted at the instance's group, where programs inside then see the limits.
record V2Groups(CgroupDir dir, String ownPath) implements BoxGroups {
    private static final Duration LEAVING = Duration.ofSeconds(5);
    private static final String INIT = "init";
    private static final int QUICK_TRIES = 3;

    @Override
    public List<CgroupDir> dirs() {
        return List.of(dir);
    }

    @Override
    public void make(InstanceLimits limits, List<Integer> cpus) {
        dir.make();
        dir.set("cpuset.cpus", CpuSpread.text(cpus));
        memory(limits.memoryBytes());
    }

    private void memory(long bytes) {
        dir.set("memory.max", Long.toString(bytes));
        if (dir.has("memory.swap.max")) {
            dir.set("memory.swap.max", "0");
        }
    }

    @Override
    public void started(InstanceLimits limits, int init) {
        intoLeaf();
        dir.set("pids.max", Long.toString(limits.pids()));
        quota(limits.cpu());
    }

    /// Init may have children by now. Those that fork faster than they are moved are stopped for it.
    private void intoLeaf() {
        var leaf = dir.child(INIT);
        leaf.make();
        for (int i = 0; i < QUICK_TRIES; i++) {
            move(leaf);
            if (limitChildren()) {
                return;
            }
        }
        freezer().freeze();
        try {
            move(leaf);
            dir.set("cgroup.subtree_control", "+memory");
        } finally {
            freezer().thaw();
        }
    }

    private void move(CgroupDir leaf) {
        for (int pid : dir.processes()) {
            try {
                leaf.add(pid);
            } catch (KernelException e) {
                if (!e.is(Errno.ESRCH)) {
                    throw e;
                }
            }
        }
    }

    /// False while the group holds a process itself.
    private boolean limitChildren() {
        try {
            dir.set("cgroup.subtree_control", "+memory");
            return true;
        } catch (KernelException e) {
            if (e.is(Errno.EBUSY)) {
                return false;
            }
            throw e;
        }
    }

    private void quota(double cpu) {
        dir.set("cpu.max", CpuSpread.quota(cpu) + " " + CpuSpread.PERIOD_MICROS);
    }

    @Override
    public void change(InstanceLimits limits, List<Integer> cpus) {
        changeMemory(limits.memoryBytes());
        dir.set("pids.max", Long.toString(limits.pids()));
        dir.set("cpuset.cpus", CpuSpread.text(cpus));
        quota(limits.cpu());
    }

    /// A limit below what is in use would have the kernel kill for it. So a lower one is set while nothing runs that could take more.
    private void changeMemory(long bytes) {
        if (bytes >= memoryLimitBytes()) {
            memory(bytes);
            return;
        }
        boolean paused = freezer().frozen();
        if (!paused) {
            freezer().freeze();
        }
        try {
            reclaim(memoryBytes() - bytes);
            if (memoryBytes() > bytes) {
                throw BoxGroups.inUse(null);
            }
            memory(bytes);
        } finally {
            if (!paused) {
                freezer().thaw();
            }
        }
    }

    /// As far as the kernel gets with it; `memory.reclaim` came with Linux 5.19.
    private void reclaim(long bytes) {
        if (bytes <= 0 || !dir.has("memory.reclaim")) {
            return;
        }
        try {
            dir.set("memory.reclaim", Long.toString(bytes));
        } catch (KernelException e) {
            if (!e.is(Errno.EAGAIN)) {
                throw e;
            }
        }
    }

    @Override
    public void bandwidth(long bytesPerSecond, List<String> disks) {
        for (var disk : disks) {
            dir.set("io.max", disk + " rbps=" + bytesPerSecond + " wbps=" + bytesPerSecond);
        }
        var inForce = dir.get("io.max");
        if (disks.isEmpty() || !disks.stream().allMatch(d -> inForce.contains(d + " rbps=" + bytesPerSecond + " wbps=" + bytesPerSecond + " "))) {
            throw BoxGroups.noBandwidth();
        }
    }

    @Override
    public boolean exists() {
        return dir.exists();
    }

    @Override
    public boolean holds(int pid) {
        var path = ProcessFacts.cgroup(pid, "");
        return path != null && (path.equals(ownPath) || path.startsWith(ownPath + "/"));
    }

    @Override
    public Freezer freezer() {
        return new V2Freezer(dir);
    }

    @Override
    public List<Integer> cpus() {
        return dir.find("cpuset.cpus").map(CpuSpread::parse).orElse(List.of());
    }

    @Override
    public long memoryBytes() {
        return dir.number("memory.current").orElse(0);
    }

    @Override
    public long memoryCacheBytes() {
        return dir.value("memory.stat", "file").orElse(0);
    }

    @Override
    public long memoryPeakBytes() {
        return dir.number("memory.peak").orElse(0);
    }

    @Override
    public long memoryLimitBytes() {
        return dir.number("memory.max").orElse(0);
    }

    @Override
    public long pids() {
        return dir.number("pids.current").orElse(0);
    }

    @Override
    public long pidsLimit() {
        return dir.number("pids.max").orElse(0);
    }

    @Override
    public long cpuMicros() {
        return dir.value("cpu.stat", "usage_usec").orElse(0);
    }

    /// Counts of groups below, removed ones too, are in it.
    @Override
    public long oomKills() {
        return dir.value("memory.events", "oom_kill").orElse(0);
    }

    @Override
    public long initOomKills() {
        return dir.child(INIT).value("memory.events", "oom_kill").orElse(0);
    }

    @Override
    public void prepareExec(String exec) {
        dir.child(exec).make();
    }

    @Override
    public ExecGroups makeExec(String exec, int pid) {
        var group = new V2Exec(dir.child(exec));
        group.dir().make();
        group.dir().add(pid);
        return group;
    }

    @Override
    public Optional<ExecGroups> exec(String exec) {
        return Optional.of(dir.child(exec)).filter(CgroupDir::exists).map(V2Exec::new);
    }

    @Override
    public boolean remove() {
        return dir.remove(LEAVING);
    }

    record V2Exec(CgroupDir dir) implements ExecGroups {
        @Override
        public Freezer freezer() {
            return new V2Freezer(dir);
        }

        @Override
        public long oomKills() {
            return dir.value("memory.events", "oom_kill").orElse(0);
        }

        @Override
        public long cpuMicros() {
            return dir.value("cpu.stat", "usage_usec").orElse(0);
        }

        @Override
        public long memoryPeakBytes() {
            return dir.number("memory.peak").orElse(0);
        }

        @Override
        public boolean countsLost() {
            return false;
        }

        @Override
        public boolean tryRemove() {
            return !freezer().populated() && dir.remove(LEAVING);
        }
    }
}
