// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The system call filter as rules for a runtime that compiles them: an allow list (`syscalls.txt`) and the errors that programs expect from what is refused. Anything unknown
/// does not exist (ENOSYS), so that libraries fall back.
final class Seccomp {
    static final int EPERM = 1;
    static final int ENOTTY = 25;
    static final int ENOSYS = 38;
    static final int EPROTONOSUPPORT = 93;
    static final int EAFNOSUPPORT = 97;
    private static final String ALLOW = "SCMP_ACT_ALLOW";
    private static final String ERRNO = "SCMP_ACT_ERRNO";
    static final int UNIX = 1;
    static final int INET = 2;
    static final int INET6 = 10;
    static final int NETLINK = 16;

    /// CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
    private static final long[] NEW_NAMESPACE = {
        0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000
    };

    static final long ANY_NEW_NAMESPACE = 0x7E02_0000L;
    /// Requests of Btrfs: on a volume anybody could make a subvolume, which has no quota.
    static final int BTRFS = 0x94;
    static final long[] PERSONALITIES = {0x0, 0x8, 0x2_0000, 0x2_0008, 0x4_0000, 0xFFFF_FFFFL};

    private Seccomp() {}

    /// As in `linux.seccomp` of config.json. `debug`: ptrace and reading other processes' memory are allowed.
    static Map<String, Object> filter(boolean debug) {
        var rules = new ArrayList<Map<String, Object>>();
        rules.add(rule(SyscallTable.allowed(debug).stream().filter(name -> !name.equals("ioctl")).toList(), ALLOW, null, List.of()));
        requests(rules);
        rules.add(rule(SyscallTable.refused(debug), ERRNO, EPERM, List.of()));
        clone(rules);
        sockets(rules);
        for (long p : PERSONALITIES) {
            rules.add(rule(List.of("personality"), ALLOW, null, List.of(equal(0, p))));
        }
        return Map.of(
                "defaultAction", ERRNO,
                "defaultErrnoRet", ENOSYS,
                "architectures", List.of("SCMP_ARCH_X86_64"),
                "syscalls", rules);
    }

    /// Allowed where some bit of the request's type is not that of Btrfs.
    private static void requests(List<Map<String, Object>> rules) {
        for (int bit = 1; bit < 0x100; bit <<= 1) {
            rules.add(rule(List.of("ioctl"), ALLOW, null, List.of(masked(1, bit << 8, (~BTRFS & bit) << 8))));
        }
        rules.add(rule(List.of("ioctl"), ERRNO, ENOTTY, List.of(masked(1, 0xFF00, BTRFS << 8))));
    }

    private static void clone(List<Map<String, Object>> rules) {
        rules.add(rule(List.of("clone"), ALLOW, null, List.of(masked(0, ANY_NEW_NAMESPACE, 0))));
        for (long flag : NEW_NAMESPACE) {
            rules.add(rule(List.of("clone"), ERRNO, EPERM, List.of(masked(0, flag, flag))));
        }
    }

    /// sudo and su break in libaudit unless its socket fails with exactly these errors.
    private static void sockets(List<Map<String, Object>> rules) {
        for (int family : new int[] {UNIX, INET, INET6}) {
            rules.add(rule(List.of("socket"), ALLOW, null, List.of(equal(0, family))));
        }
        rules.add(rule(List.of("socket"), ALLOW, null, List.of(equal(0, NETLINK), equal(2, 0))));
        rules.add(rule(List.of("socket"), ERRNO, EPROTONOSUPPORT, List.of(equal(0, NETLINK), compare(2, "SCMP_CMP_NE", 0))));
        for (int family = 0; family < NETLINK; family++) {
            if (family != UNIX && family != INET && family != INET6) {
                rules.add(rule(List.of("socket"), ERRNO, EAFNOSUPPORT, List.of(equal(0, family))));
            }
        }
        rules.add(rule(List.of("socket"), ERRNO, EAFNOSUPPORT, List.of(compare(0, "SCMP_CMP_GT", NETLINK))));
        rules.add(rule(List.of("socketpair"), ALLOW, null, List.of(equal(0, UNIX))));
        rules.add(rule(List.of("socketpair"), ERRNO, EAFNOSUPPORT, List.of(compare(0, "SCMP_CMP_NE", UNIX))));
    }

    private static Map<String, Object> rule(
            List<String> names, String action, @org.jspecify.annotations.Nullable Integer errno, List<Map<String, Object>> args) {
        var rule = new LinkedHashMap<String, Object>();
        rule.put("names", List.copyOf(names));
        rule.put("action", action);
        if (errno != null) {
            rule.put("errnoRet", errno);
        }
        if (!args.isEmpty()) {
            rule.put("args", args);
        }
        return rule;
    }

    private static Map<String, Object> equal(int index, long value) {
        return compare(index, "SCMP_CMP_EQ", value);
    }

    private static Map<String, Object> compare(int index, String op, long value) {
        return Map.of("index", index, "value", value, "op", op);
    }

    private static Map<String, Object> masked(int index, long mask, long value) {
        return Map.of("index", index, "value", mask, "valueTwo", value, "op", "SCMP_CMP_MASKED_EQ");
    }
}
