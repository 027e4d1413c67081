// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.Tier.Probe;
import dev.redoma.model.wire.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Findings gathered while a runtime is chosen, in the words of `doctor`.
final class Readiness {
    private static final String AREA = "container";
    private final List<Finding> findings = new ArrayList<>();

    void cgroups(GroupHost groups) {
        var mode = groups.host().mode();
        var missing = groups.missing();
        if (missing.isEmpty()) {
            ok("cgroups", mode + (mode.equals("hybrid") ? ": limits by version 1, freezing and killing by version 2" : ""));
        } else {
            missing("cgroups", mode + " without " + String.join(", ", missing), "boot with systemd.unified_cgroup_hierarchy=1 cgroup_enable=memory");
        }
        if (!groups.canLimitIo()) {
            warn("disk bandwidth", "cannot be limited here: `ioBytesPerSecond` is refused", "leave it out");
        }
    }

    void moves(boolean favoured) {
        if (favoured) {
            ok("cgroup moves", "quick: the version 2 tree is mounted with favordynmods");
        } else {
            warn("cgroup moves", "slow: starting a sandbox or a command may wait some ms for the kernel", "use Linux 6.0 or newer with cgroup version 2");
        }
    }

    void absent(String runtime) {
        warn(runtime, "is not installed", "apt-get install " + runtime);
    }

    void tried(Runtime runtime, List<String> faults) {
        var name = runtime.name() + " " + runtime.version();
        if (faults.isEmpty()) {
            ok(name, "started a trial instance: namespaces, id map, overlay, filter and limits hold");
        } else {
            missing(name, String.join("; ", faults), "run as root on Linux 5.19 or newer, or install another runtime (apt-get install crun runc)");
        }
    }

    /// Null: it is as it must be.
    void network(@Nullable String fault) {
        if (fault == null) {
            ok("way out", "packet rules, and the kernel's log of what they refuse, can be had");
        } else {
            missing("way out", fault + ": sandboxes whose policy lets something out are refused", "modprobe -a nf_tables nft_ct nft_chain_nat nft_reject_ipv4 nft_reject_ipv6 nft_log nfnetlink_log, or use a kernel that has them");
        }
    }

    Probe result(Optional<Runtime> chosen) {
        chosen.ifPresent(r -> findings.addAll(KnownHoles.of(r.name(), r.version())));
        return new Probe(
                chosen.isPresent(),
                "shared-kernel",
                chosen.map(Runtime::name).orElse("none"),
                chosen.map(Runtime::version).orElse(""),
                List.copyOf(findings));
    }

    void missing(String name, String detail, String fix) {
        findings.add(new Finding(AREA, name, "missing", detail, fix));
    }

    private void ok(String name, String detail) {
        findings.add(new Finding(AREA, name, "ok", detail, null));
    }

    private void warn(String name, String detail, String fix) {
        findings.add(new Finding(AREA, name, "warn", detail, fix));
    }
}
