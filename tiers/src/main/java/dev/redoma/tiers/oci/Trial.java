// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.Instance;
import dev.redoma.engine.InstanceLimits;
import dev.redoma.engine.InstanceSpec;
import dev.redoma.engine.UidRange;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.GrantTable;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.PacketLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Tries a runtime: starts a throw-away instance whose first program looks around from inside, and measures its limits from outside.
final class Trial {
    private static final InstanceLimits LIMITS = new InstanceLimits(1, 64L << 20, 32, 64, 1L << 20, null);
    /// Above the ranges of sandboxes, so that no sandbox's files are ever in reach.
    private static final UidRange RANGE = new UidRange(4_200_000_000L);
    private static final int REPORT_LIMIT = 16 * 1024;

    private final Path parent;
    private final Function<InstanceSpec, Instance> create;
    private final Function<String, BoxGroups> groups;
    private @Nullable String networkFault = "was not tried";

    Trial(Path parent, Function<InstanceSpec, Instance> create, Function<String, BoxGroups> groups) {
        this.parent = parent;
        this.create = create;
        this.groups = groups;
    }

    /// One sentence for each fault; empty: it works here.
    List<String> run() {
        try {
            var dir = Files.createTempDirectory(parent, "redoma-trial-");
            try {
                return run(spec(dir));
            } catch (RuntimeException e) {
                return List.of(String.valueOf(e.getMessage()));
            } finally {
                Directories.delete(dir);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InstanceSpec spec(Path dir) throws IOException {
        var lower = Files.createDirectory(dir.resolve("lower"));
        Files.writeString(lower.resolve("lower"), "");
        var upper = Files.createDirectory(dir.resolve("upper"));
        try (var fd = Fd.open(upper, Open.RDONLY, 0)) {
            fd.chown(RANGE.base(), RANGE.base());
        }
        var name = "trial-" + UUID.randomUUID().toString().substring(0, 8);
        return new InstanceSpec(
                name,
                List.of(new InstanceSpec.Lower(lower, 0)),
                upper,
                Files.createDirectory(dir.resolve("work")),
                RANGE,
                "trial",
                UUID.randomUUID().toString(),
                LIMITS,
                Files.createDirectory(dir.resolve("channel")),
                false);
    }

    private List<String> run(InstanceSpec spec) {
        var faults = new ArrayList<String>();
        var instance = create.apply(spec);
        try {
            Await.until("the trial's report", () -> Files.exists(spec.upper().resolve("report")));
            var report = TrialReport.parse(read(spec.upper().resolve("report")));
            faults.addAll(report.complete() ? report.faults(RANGE) : List.of("the report from inside is cut"));
            faults.addAll(limits(instance, groups.apply(spec.name())));
            network(instance);
            instance.freeze();
            instance.thaw();
        } finally {
            instance.kill();
        }
        if (instance.alive()) {
            faults.add("the instance outlived its kill");
        }
        return faults;
    }

    /// Why no sandbox may have a way out here; null: nothing is in its way. After `run`.
    @Nullable String networkFault() {
        return networkFault;
    }

    /// Packet rules, and the kernel's log of what they refuse.
    private void network(Instance instance) {
        try (var namespace = NetworkNamespace.of(instance.network().orElseThrow()); var table = GrantTable.open(namespace); var log = PacketLog.open(namespace)) {
            table.replace(new GrantTable.Grants(1, InetAddress.ofLiteral("198.18.0.1"), 1, List.of(), List.of(), List.of()));
            log.read(none -> { });
            networkFault = null;
        } catch (KernelException refused) {
            networkFault = refused.getMessage();
        }
    }

    private static List<String> limits(Instance instance, BoxGroups box) {
        int init = instance.ref().pid();
        var out = new ArrayList<String>();
        if (!instance.owns(init) || box.dirs().stream().anyMatch(d -> !holds(d, init))) {
            out.add("cgroups: the first process is not in all of them");
        }
        if (box.memoryLimitBytes() != LIMITS.memoryBytes()) {
            out.add("memory: the limit is not in force");
        }
        if (box.pidsLimit() != LIMITS.pids()) {
            out.add("pids: the limit is not in force");
        }
        return out;
    }

    /// Itself or, where init has a leaf of its own, in a child.
    private static boolean holds(dev.redoma.kernel.CgroupDir dir, int pid) {
        return dir.processes().contains(pid) || dir.children().stream().anyMatch(c -> c.processes().contains(pid));
    }

    private static String read(Path report) {
        try (var fd = Fd.open(report, Open.RDONLY | Open.NOFOLLOW | Open.NONBLOCK, 0)) {
            return new String(fd.readAll(REPORT_LIMIT), StandardCharsets.ISO_8859_1);
        }
    }
}
