// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.engine.UidRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// What the launcher found when it ran inside a throw-away instance with `privileges: none`, and what is wrong with it.
record TrialReport(Map<String, String> facts) {
    private static final String CAPABILITIES = "00000000800005fb";
    private static final List<String> NAMESPACES = List.of("cgroup", "ipc", "mnt", "net", "pid", "user", "uts");
    private static final List<String> REFUSED = List.of(
            "mount", "umount2", "unshare", "setns", "bpf", "io_uring_setup", "userfaultfd", "perf_event_open", "keyctl", "open_by_handle_at",
            "pivot_root", "chroot", "init_module", "kexec_load", "clone-user", "ptrace", "process_vm_readv");

    static TrialReport parse(String text) {
        var facts = new HashMap<String, String>();
        text.lines().map(l -> l.split(": ?", 2)).filter(f -> f.length == 2).forEach(f -> facts.put(f[0], f[1]));
        return new TrialReport(facts);
    }

    boolean complete() {
        return facts.containsKey("end");
    }

    /// One sentence for each thing that is not as it must be; empty: the isolation holds.
    List<String> faults(UidRange range) {
        var out = new ArrayList<String>();
        is(out, "uid_map", "0 " + range.base() + " " + UidRange.WIDTH, "user ids are not mapped");
        is(out, "gid_map", "0 " + range.base() + " " + UidRange.WIDTH, "group ids are not mapped");
        for (var set : List.of("CapBnd", "CapEff", "CapPrm")) {
            is(out, set, CAPABILITIES, "capabilities are not the allowed ones");
        }
        is(out, "CapInh", "0000000000000000", "inheritable capabilities");
        is(out, "CapAmb", "0000000000000000", "ambient capabilities");
        is(out, "NoNewPrivs", "1", "no_new_privs is not in force");
        is(out, "Seccomp", "2", "no system call filter");
        is(out, "processes", "1", "foreign processes are in sight");
        is(out, "lower-owner", "0", "template files are not mapped to the sandbox's ids");
        is(out, "write", "0", "the root file system is not writable");
        is(out, "interfaces", "lo", "the network namespace holds more than loopback");
        NAMESPACES.forEach(name -> check(out, "ns-" + name, v -> !v.isEmpty() && !v.equals(own(name)), "shares this namespace with the host"));
        REFUSED.forEach(call -> is(out, call, "1", "the system call is not refused"));
        is(out, "clone3", "38", "the system call is not hidden");
        List.of("unix", "inet", "route").forEach(kind -> is(out, "socket-" + kind, "0", "sockets of this kind fail"));
        is(out, "socket-audit", "93", "sockets of this kind are not refused");
        List.of("packet", "vsock", "alg").forEach(kind -> is(out, "socket-" + kind, "97", "sockets of this kind are not refused"));
        return out;
    }

    private void is(List<String> out, String name, String expected, String otherwise) {
        check(out, name, expected::equals, otherwise);
    }

    private void check(List<String> out, String name, Predicate<String> good, String otherwise) {
        var value = facts.getOrDefault(name, "");
        if (!good.test(value)) {
            out.add(name + ": " + otherwise + " (found '" + value + "')");
        }
    }

    private static String own(String namespace) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns", namespace)).toString();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
