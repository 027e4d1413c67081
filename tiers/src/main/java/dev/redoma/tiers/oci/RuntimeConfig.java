// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.InstanceSpec;
import dev.redoma.engine.UidRange;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The OCI `config.json` of an instance. Host paths in it are those of the launcher's namespace, the same for every instance.
final class RuntimeConfig {
    /// Where the guest binary lies inside: on the fresh /dev, so that it leaves no trace on the sandbox's disk.
    static final String INIT = "/dev/.redoma";

    private static final List<String> CAPABILITIES = Stream.of(
                    "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETUID", "SETGID", "SETPCAP", "SETFCAP", "NET_BIND_SERVICE")
            .map(c -> "CAP_" + c)
            .toList();
    private static final List<String> MASKED = List.of(
            "/proc/acpi", "/proc/asound", "/proc/cmdline", "/proc/config.gz", "/proc/diskstats", "/proc/interrupts", "/proc/iomem", "/proc/ioports",
            "/proc/kallsyms", "/proc/kcore", "/proc/key-users", "/proc/keys", "/proc/kmsg", "/proc/kpagecgroup", "/proc/kpagecount", "/proc/kpageflags",
            "/proc/latency_stats", "/proc/modules", "/proc/partitions", "/proc/pressure", "/proc/sched_debug", "/proc/scsi", "/proc/swaps",
            "/proc/timer_list", "/proc/timer_stats", "/proc/vmallocinfo", "/sys/firmware");
    /// The host has some thousand for all sandboxes together; a sandbox runs at most 256 commands at a time.
    private static final int TERMINALS = 256;

    private static final List<String> READ_ONLY = List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger", "/sys/fs/cgroup");
    private static final Map<Boolean, Map<String, Object>> FILTERS = Map.of(true, Seccomp.filter(true), false, Seccomp.filter(false));
    private static final Map<Boolean, Map<String, String>> PROGRAMS = Map.of(true, program(true), false, program(false));

    private RuntimeConfig() {}

    private static Map<String, String> program(boolean debug) {
        return Map.of("run.oci.seccomp_bpf_data", Base64.getEncoder().encodeToString(FilterProgram.compile(debug)));
    }

    /// `runcPath`: the cgroup that runc is to make; null for crun, which is born in it and takes the filter compiled. `unconfined`: cgroup
    /// hierarchies to hide.
    static Map<String, Object> of(InstanceSpec spec, List<String> initArgs, @Nullable String runcPath, boolean compiled, List<String> unconfined) {
        var mounts = new ArrayList<>(mounts(spec));
        mounts.addAll(volumes(spec));
        var out = new LinkedHashMap<String, Object>();
        out.put("ociVersion", "1.0.2");
        out.put("process", process(spec, initArgs));
        out.put("root", Map.of("path", "/run/root", "readonly", false));
        out.put("hostname", spec.hostname());
        out.put("mounts", mounts);
        out.put("linux", linux(spec, runcPath, unconfined));
        if (compiled) {
            out.put("annotations", PROGRAMS.get(spec.sudo()));
        }
        if (runcPath == null) {
            mounts.add(bind("b/boot_id", "/proc/sys/kernel/random/boot_id"));
        } else {
            var hook = Map.of("path", "/run/launcher", "args", List.of("redoma-launcher", "boot-id"));
            out.put("hooks", Map.of("createContainer", List.of(hook)));
        }
        return out;
    }

    private static Map<String, Object> process(InstanceSpec spec, List<String> initArgs) {
        var args = new ArrayList<>(List.of(INIT));
        args.addAll(initArgs);
        return Map.of(
                "terminal", false,
                "user", Map.of("uid", 0, "gid", 0, "umask", 18),
                "args", args,
                "env", List.of(),
                "cwd", "/",
                "capabilities", Map.of("bounding", CAPABILITIES, "effective", CAPABILITIES, "permitted", CAPABILITIES),
                "noNewPrivileges", !spec.sudo());
    }

    private static List<Map<String, Object>> mounts(InstanceSpec spec) {
        return List.of(
                mount("/proc", "proc", "nosuid", "noexec", "nodev"),
                mount("/dev", "tmpfs", "nosuid", "noexec", "mode=755", "size=64k"),
                mount("/dev/pts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5", "max=" + TERMINALS),
                mount("/dev/shm", "tmpfs", "nosuid", "noexec", "nodev", "mode=1777", "size=" + spec.limits().shmBytes()),
                mount("/dev/mqueue", "mqueue", "nosuid", "noexec", "nodev"),
                mount("/sys", "tmpfs", "nosuid", "noexec", "nodev", "ro", "mode=755", "size=64k"),
                mount("/sys/fs/cgroup", "cgroup", "nosuid", "noexec", "nodev", "ro"),
                bind("b/online", "/sys/devices/system/cpu/online"),
                bind("b/cpuinfo", "/proc/cpuinfo"),
                bind("b/meminfo", "/proc/meminfo"),
                bind("channel", "/run/redoma"),
                bind("guest", INIT));
    }

    /// The launcher has seen to it that each place is a directory, no way to it leads through a link, and nothing of the above is there.
    private static List<Map<String, Object>> volumes(InstanceSpec spec) {
        var out = new ArrayList<Map<String, Object>>();
        for (var volume : spec.volumes()) {
            var access = volume.readOnly() ? "ro" : "rw";
            out.add(Map.of("destination", volume.path(), "type", "bind", "source", "/run/v" + out.size(), "options", List.of("bind", access, "nosuid", "nodev")));
        }
        return out;
    }

    private static Map<String, Object> mount(String to, String type, String... options) {
        return Map.of("destination", to, "type", type, "source", type, "options", List.of(options));
    }

    private static Map<String, Object> bind(String from, String to) {
        return Map.of("destination", to, "type", "bind", "source", "/run/" + from, "options", List.of("bind", "ro", "nosuid", "nodev"));
    }

    /// No network namespace: the launcher's is inherited. It belongs to the host's user namespace, so nobody inside can change it.
    private static Map<String, Object> linux(InstanceSpec spec, @Nullable String cgroupsPath, List<String> unconfined) {
        var out = new LinkedHashMap<String, Object>();
        var map = List.of(Map.of("containerID", 0, "hostID", spec.range().base(), "size", UidRange.WIDTH));
        out.put("uidMappings", map);
        out.put("gidMappings", map);
        // Made by the launcher, for an owner of its own: see there.
        var user = Stream.of(Map.of("type", "user", "path", "/run/user"));
        out.put("namespaces", Stream.concat(user, Stream.of("pid", "mount", "ipc", "uts", "cgroup").map(t -> Map.of("type", t))).toList());
        out.put("maskedPaths", Stream.concat(MASKED.stream(), unconfined.stream().map(h -> "/sys/fs/cgroup/" + h)).toList());
        out.put("readonlyPaths", READ_ONLY);
        out.put("seccomp", FILTERS.get(spec.sudo()));
        if (cgroupsPath != null) {
            out.put("cgroupsPath", cgroupsPath);
        }
        return out;
    }
}
