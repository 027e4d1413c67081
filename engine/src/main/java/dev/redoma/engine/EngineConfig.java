// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Limits;
import dev.redoma.pool.contents.ContentClass;
import dev.redoma.pool.contents.Order;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/// What an operator may set about the engine. `dataDir` holds spools; `runDir` the sockets of running sandboxes (a short path: a
/// socket's name holds 108 bytes). `sharedKernel`: two tenants may run on one kernel. `outputTokens`: what has the shape of a token is masked in
/// output where a request does not say.
public record EngineConfig(
        Path dataDir,
        Path runDir,
        String defaultTemplate,
        boolean sharedKernel,
        Quota quota,
        Bounds bounds,
        Reserve reserve,
        Warm warm,
        Uids uids,
        Times times,
        Saving saving,
        Building building,
        PolicySettings policies,
        boolean outputTokens) {

    /// That masks what looks like a token in output.
    public EngineConfig(Path dataDir, Path runDir, String defaultTemplate, boolean sharedKernel, Quota quota, Bounds bounds, Reserve reserve, Warm warm, Uids uids, Times times,
            Saving saving, Building building, PolicySettings policies) {
        this(dataDir, runDir, defaultTemplate, sharedKernel, quota, bounds, reserve, warm, uids, times, saving, building, policies, true);
    }

    /// With the shipped policies.
    public EngineConfig(Path dataDir, Path runDir, String defaultTemplate, boolean sharedKernel, Quota quota, Bounds bounds, Reserve reserve, Warm warm, Uids uids, Times times,
            Saving saving, Building building) {
        this(dataDir, runDir, defaultTemplate, sharedKernel, quota, bounds, reserve, warm, uids, times, saving, building, PolicySettings.SHIPPED);
    }

    /// The shipped values; what depends on the host (cores, memory) is taken from `host`.
    public static EngineConfig standard(Path dataDir, Path runDir) {
        return new EngineConfig(
                dataDir, runDir, "base", false, Quota.STANDARD, Bounds.standard(HostReading.now()), Reserve.STANDARD, Warm.STANDARD,
                Uids.STANDARD, Times.STANDARD, Saving.STANDARD, Building.STANDARD);
    }

    /// Per tenant. `live`: creating, running and paused together; `stored`: everything not ended; `snapshots`: saved disks;
    /// `volumes` and how many bytes they may have together.
    /// `outputBytes` is per sandbox: kept output of commands that ended; the oldest goes first.
    public record Quota(int live, int stored, int snapshots, long outputBytes, int volumes, long volumeBytes) {
        public static final Quota STANDARD = new Quota(256, 1024, 256, 2L << 30, 64, 1L << 40);
    }

    /// `defaults` fills what a request leaves out, `least` and `most` bound it (both ends allowed). Only `ioBytesPerSecond` has no
    /// default: null is no limit.
    public record Bounds(Limits defaults, Limits least, Limits most) {
        static Bounds standard(HostReading host) {
            long mib = 1L << 20;
            long memory = host.memoryTotal();
            return new Bounds(
                    new Limits(Math.min(2.0, host.cores()), Math.min(2048 * mib, memory / 2), 8192 * mib, 512L, Math.min(65_536L, host.openFiles()), 64 * mib, null,
                            Duration.ofHours(1).toMillis(), Duration.ofMinutes(15).toMillis()),
                    new Limits(0.1, 32 * mib, 16 * mib, 8L, 64L, mib, mib, 1000L, 1000L),
                    new Limits((double) host.cores(), memory, 1L << 40, 32_768L, Math.min(1_048_576L, host.openFiles()), memory, 1L << 40,
                            Duration.ofHours(24).toMillis(), Duration.ofHours(24).toMillis()));
        }
    }

    /// What stays free for the host (`memoryBytes`, `diskBytes`, `pids`: really free ones), and how many times what it has may be
    /// promised as limits (`memoryTimes`, `diskTimes`, `pidsTimes`): most sandboxes use little of theirs.
    public record Reserve(long memoryBytes, long diskBytes, long pids, double memoryTimes, double diskTimes, double pidsTimes) {
        public static final Reserve STANDARD = new Reserve(512L << 20, 512L << 20, 512, 32, 512, 32);
    }

    /// Started ahead: `size` members for each (tenant, template version) used within `keep`, at most `total` in all, `parallel`
    /// starts at a time. Size 0 switches it off.
    public record Warm(int size, int total, int parallel, Duration keep) {
        public static final Warm STANDARD = new Warm(2, 16, 1, Duration.ofMinutes(30));
    }

    /// Host uids handed out: `count` ranges of 65,536 from `first`.
    public record Uids(long first, int count) {
        public static final Uids STANDARD = new Uids(0x7000_0000L, 4080);
    }

    /// `ready`: how long a guest may take to dial. `lock`: how long a call waits for the one before it. `sweep`: between rounds of
    /// the reaper, which removes what it saw orphaned for `grace`. `ended`: how long an ended sandbox is shown; `lost`: how long a lost
    /// one keeps its disk; `workspace`: how long git may take to fill a workspace.
    public record Times(Duration ready, Duration lock, Duration liveness, Duration sweep, Duration grace, Duration ended, Duration lost, Duration workspace) {
        public static final Times STANDARD = new Times(
                Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(3), Duration.ofSeconds(60), Duration.ofMinutes(2),
                Duration.ofHours(48), Duration.ofHours(24), Duration.ofMinutes(10));

        /// With the shipped one for workspaces.
        public Times(Duration ready, Duration lock, Duration liveness, Duration sweep, Duration grace, Duration ended, Duration lost) {
            this(ready, lock, liveness, sweep, grace, ended, lost, Duration.ofMinutes(10));
        }
    }

    /// Builds: `atOnce` at work and `waiting` in the queue; `step`: how long one step may take; `members` and `bytes` of the files that come
    /// with one; `logBytes` of its log; `keep`: how long ended ones are shown, and layers stay that no step asked for.
    public record Building(int atOnce, int waiting, Duration step, int members, long bytes, long logBytes, Duration keep) {
        public static final Building STANDARD = new Building(2, 64, Duration.ofHours(1), 200_000, 8L << 30, 32L << 20, Duration.ofDays(7));
    }

    /// Saved disks where a request says nothing: what is done about each class of contents (none: kept), how many of a name or sandbox
    /// stay (0: all) and how long (0: for ever).
    public record Saving(Map<ContentClass, Order> contents, int keepCount, Duration keep) {
        public static final Saving STANDARD = new Saving(
                Map.of(ContentClass.CREDENTIALS, Order.SCRUB, ContentClass.HISTORY, Order.SCRUB, ContentClass.BROWSER, Order.SCRUB), 0, Duration.ZERO);

        public Saving {
            var all = new EnumMap<ContentClass, Order>(ContentClass.class);
            for (ContentClass c : ContentClass.values()) {
                all.put(c, contents.getOrDefault(c, Order.KEEP));
            }
            contents = Map.copyOf(all);
        }
    }
}
