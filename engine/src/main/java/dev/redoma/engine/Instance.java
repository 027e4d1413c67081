// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ExecId;
import dev.redoma.model.wire.Usage;

/// A running instance of a tier. What it reports, the host itself read. Thread-safe.
public interface Instance {

    InstanceRef ref();

    boolean alive();

    /// False where somebody else removed what create made (cgroups, bundle): more is gone than its processes.
    default boolean intact() {
        return true;
    }

    /// Runs once when init has ended (at once if it has); on a thread that may block shortly.
    void onExit(Runnable action);

    /// Stops all processes; returns when the kernel confirmed that they are frozen.
    void freeze();

    void thaw();

    boolean frozen();

    /// Ends every process (frozen ones too) and releases all that create made; returns when nothing is left. Idempotent.
    void kill();

    /// `kill` where the disk is not used again: what nobody inside can see or use any more (mounts) may be released a moment later, and
    /// without its caller.
    default void discard() {
        kill();
    }

    Usage usage();

    /// Asked after the end of init: whether the kernel killed it, or anything else that is no command's, for want of memory.
    default boolean initRanOutOfMemory() {
        return false;
    }

    /// Changes cpu, memory, pids in place; throws NOT_ENFORCEABLE where it cannot.
    void limit(InstanceLimits limits);

    /// Changes the host name inside. Only where the guest may not do it itself: tiers with a kernel of their own leave it to the guest.
    default void hostname(String name) {}

    /// Where its network namespace is found as long as it lives; empty: it has none that this host could open sockets in.
    default java.util.Optional<java.nio.file.Path> network() {
        return java.util.Optional.empty();
    }

    /// Where this host finds the root directory that its programs have, as long as it lives; what lies below is hostile. Empty: this host does not see it.
    default java.util.Optional<java.nio.file.Path> root() {
        return java.util.Optional.empty();
    }

    /// True if this host process belongs to this instance now (by cgroup).
    boolean owns(int hostPid);

    /// Says that `adopt` of this exec is about to be called, so that its cgroup can be made meanwhile. Costs nothing where it is not
    /// followed up: `group` then finds an empty one, or none.
    default void prepare(ExecId exec) {}

    /// Moves a host process that this instance owns into a new cgroup for one exec. Throws if it is not this instance's.
    ExecGroup adopt(ExecId exec, int hostPid);

    /// The group of an exec adopted before (also by an earlier server), if it still exists.
    java.util.Optional<ExecGroup> group(ExecId exec);

    /// The cgroup of one exec: the whole tree of its processes, wherever they reparented. Thread-safe. One that was removed meanwhile (by
    /// `remove`, or with its instance) is not populated, and killing it does nothing.
    interface ExecGroup {
        /// Kills every process of the exec; returns when none is left.
        void kill();

        boolean populated();

        long oomKills();

        long cpuMicros();

        long peakMemoryBytes();

        /// Removes the cgroup; only when no process is left, else it does nothing and returns false.
        boolean remove();
    }
}
