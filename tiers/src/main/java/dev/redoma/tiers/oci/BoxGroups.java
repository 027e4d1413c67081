// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.InstanceLimits;
import dev.redoma.kernel.CgroupDir;
import dev.redoma.kernel.KernelException;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The cgroups of one instance, over all hierarchies that this host has. Thread-safe.
interface BoxGroups {

    /// Makes them with those limits in force that do not hinder the runtime's own work, which is done in them.
    void make(InstanceLimits limits, List<Integer> cpus);

    /// Puts the others (CPU quota, pids) in force and, where execs get groups beside init, init into its own.
    void started(InstanceLimits limits, int init);

    void change(InstanceLimits limits, List<Integer> cpus);

    /// How much may be read and how much written a second, on each of these disks (`major:minor`). Throws if that does not hold then.
    void bandwidth(long bytesPerSecond, List<String> disks);

    /// All directories, for a process that is to join each.
    List<CgroupDir> dirs();

    boolean exists();

    /// True if that process is in this instance (or one of its execs).
    boolean holds(int pid);

    Freezer freezer();

    /// The host CPUs it is bound to.
    List<Integer> cpus();

    long memoryBytes();

    /// Pages of files among them.
    long memoryCacheBytes();

    long memoryPeakBytes();

    long memoryLimitBytes();

    long pids();

    long pidsLimit();

    long cpuMicros();

    /// OOM kills in groups that exist now.
    long oomKills();

    /// OOM kills in the group of init itself, none of a command's: after its end, whether it was init that was killed so.
    long initOomKills();

    /// Makes the group of an exec that is about to come; empty so far.
    void prepareExec(String exec);

    /// The group of an exec, made if it is not there; that process is in it afterwards.
    ExecGroups makeExec(String exec, int pid);

    Optional<ExecGroups> exec(String exec);

    /// Removes all of them; false if something did not end in time.
    boolean remove();

    /// The groups of one exec.
    interface ExecGroups {
        Freezer freezer();

        long oomKills();

        long cpuMicros();

        long memoryPeakBytes();

        /// True if its OOM kills are counted nowhere else once it is gone.
        boolean countsLost();

        boolean tryRemove();
    }

    static RuntimeException inUse(@Nullable KernelException cause) {
        var problem = Problem.of(Code.NOT_ENFORCEABLE, "memoryBytes: more than that is in use and cannot be reclaimed", "Ask for a higher limit, or end processes first.")
                .with("fields", List.of("memoryBytes"));
        return cause == null ? problem.raise() : problem.raise(cause);
    }

    static RuntimeException noBandwidth() {
        return Problem.of(Code.NOT_ENFORCEABLE, "this host cannot enforce ioBytesPerSecond", "Leave that limit out, or use a host with cgroups of version 2 alone.")
                .with("fields", List.of("ioBytesPerSecond"))
                .raise();
    }
}
