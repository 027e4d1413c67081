// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.Instance;
import dev.redoma.engine.InstanceLimits;
import dev.redoma.engine.InstanceRef;
import dev.redoma.kernel.CgroupDir;
import dev.redoma.kernel.HostName;
import dev.redoma.kernel.Pidfd;
import dev.redoma.kernel.ProcessFacts;
import dev.redoma.model.Code;
import dev.redoma.model.ExecId;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Usage;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// A running instance, known by its groups and its init. Holds no descriptor, so it needs no close.
final class OciInstance implements Instance {
    private final OciTier tier;
    private final InstanceRef ref;
    private final BoxGroups groups;
    /// OOM kills of execs whose groups are gone (version 1 counts them nowhere else).
    private final AtomicLong pastOomKills = new AtomicLong();

    OciInstance(OciTier tier, InstanceRef ref, BoxGroups groups) {
        this.tier = tier;
        this.ref = ref;
        this.groups = groups;
    }

    @Override
    public InstanceRef ref() {
        return ref;
    }

    @Override
    public boolean alive() {
        return OciTier.sameProcess(ref);
    }

    @Override
    public boolean intact() {
        return tier.hasBundle(ref.name()) && groups.dirs().stream().allMatch(CgroupDir::exists);
    }

    @Override
    public void onExit(Runnable action) {
        var process = Pidfd.open(ref.pid()).orElse(null);
        // Asked after it was opened: from here on the handle is that of the very process.
        if (process == null || !alive()) {
            if (process != null) {
                process.close();
            }
            Thread.ofVirtual().name("exit-of-" + ref.name()).start(action);
            return;
        }
        tier.exits().onExit(process, action);
    }

    @Override
    public void freeze() {
        groups.freezer().freeze();
    }

    @Override
    public void thaw() {
        groups.freezer().thaw();
    }

    @Override
    public boolean frozen() {
        return groups.freezer().frozen();
    }

    @Override
    public void kill() {
        tier.remove(ref);
    }

    @Override
    public void discard() {
        tier.discard(ref);
    }

    @Override
    public Usage usage() {
        return new Usage(
                groups.cpuMicros() / 1000,
                groups.memoryBytes(),
                groups.memoryCacheBytes(),
                groups.memoryPeakBytes(),
                groups.memoryLimitBytes(),
                0,
                0,
                groups.pids(),
                groups.pidsLimit(),
                groups.oomKills() + pastOomKills.get());
    }

    @Override
    public boolean initRanOutOfMemory() {
        return groups.initOomKills() > 0;
    }

    @Override
    public void limit(InstanceLimits limits) {
        tier.limit(ref.name(), groups, limits);
    }

    @Override
    public void hostname(String name) {
        if (!alive()) {
            throw Problem.of(Code.GUEST_UNREACHABLE, "the sandbox's first process has ended", "See why it ended.").raise();
        }
        HostName.set(ref.pid(), name);
    }

    /// The dot leads through the kernel's own link, to the directory itself.
    @Override
    public Optional<Path> root() {
        return Optional.of(Path.of("/proc", Integer.toString(ref.pid()), "root/."));
    }

    @Override
    public Optional<Path> network() {
        return Optional.of(Path.of("/proc", Integer.toString(ref.pid()), "ns/net"));
    }

    @Override
    public boolean owns(int hostPid) {
        return groups.holds(hostPid);
    }

    @Override
    public void prepare(ExecId exec) {
        groups.prepareExec(exec.value());
    }

    @Override
    public ExecGroup adopt(ExecId exec, int hostPid) {
        var process = Pidfd.open(hostPid).orElseThrow(() -> notOurs(hostPid));
        // While the handle is open and the process lives, its pid is nobody else's.
        try (process) {
            if (!owns(hostPid)) {
                throw notOurs(hostPid);
            }
            var made = groups.makeExec(exec.value(), hostPid);
            return new OciExecGroup(made, pastOomKills);
        }
    }

    @Override
    public Optional<ExecGroup> group(ExecId exec) {
        return groups.exec(exec.value()).map(g -> new OciExecGroup(g, pastOomKills));
    }

    private RuntimeException notOurs(int hostPid) {
        boolean gone = ProcessFacts.of(hostPid).isEmpty();
        return Problem.of(
                        Code.GUEST_PROTOCOL,
                        gone ? "the exec's process ended before it was taken over" : "a process of another sandbox asked to be taken over",
                        "Start the command again; if it stays so, the sandbox's guest was tampered with.")
                .raise();
    }
}
